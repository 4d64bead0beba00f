"""Second import path of torch.cuda.amp.GradScaler."""
