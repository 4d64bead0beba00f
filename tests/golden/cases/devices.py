"""Absent devices, settings, legacy tensor types: results and errors."""

import warnings

from ..dsl import program

EXPRESSIONS = [
    "cuda.is_available()", "cuda.device_count()", "cuda.current_device()", "cuda.get_device_name()",
    "cuda.get_device_name(0)", "cuda.get_device_capability()", "cuda.get_device_properties(0)", "cuda.synchronize()",
    "cuda.empty_cache()", "cuda.manual_seed(1)", "cuda.manual_seed_all(1)", "cuda.seed()", "cuda.seed_all()",
    "cuda.initial_seed()", "cuda.memory_allocated()", "cuda.max_memory_allocated()", "cuda.memory_reserved()",
    "cuda.max_memory_reserved()", "cuda.mem_get_info()", "cuda.is_initialized()", "cuda.init()", "cuda.Event()",
    "cuda.current_stream()", "cuda.default_stream()", "cuda.get_rng_state()", "cuda.get_rng_state_all()",
    "cuda.is_bf16_supported()", "cuda.get_arch_list()", "cuda.get_gencode_flags()", "cuda.ipc_collect()",
    "cuda.FloatTensor(2)", "cuda.FloatTensor", "cuda.LongTensor", "cuda.nvtx.range_push('a')",
    "cuda.amp.common.amp_definitely_not_available()", "cuda.has_half", "cuda.cudart()", "cuda.memory_cached()",
    "ones(2).cuda()", "ones(2).to('cuda')", "ones(2,device='cuda')", "ones(2).to(0)", "nn.Linear(2,2).cuda()",
    "nn.Linear(2,2).to('cuda')", "ones(2).to('mps')", "ones(2,device='xpu')", "tensor([1],device='cuda:0')",
    "ones(2).is_cuda", "ones(2).get_device()", "device('cuda',0)", "device(0)", "device('cuda:1').index",
    "device('cpu',0)==torch.device('cpu')", "device('foo')", "device('cuda:-1')", "device('cuda:x')",
    "device(type='cuda',index=1)", "device('cuda',-1)", "device('cuda:0',1)", "device(3.5)", "device()",
    "device('meta')", "device('cpu:1')", "device('')", "ones(2).to('cpu').device", "ones(2,device=torch.device('cpu'))",
    "=isinstance(torch.ones(2),torch.FloatTensor)", "=isinstance(torch.ones(2),torch.cuda.FloatTensor)",
    "ones(2).to(device='cuda:0', dtype=torch.float64)", "ones(2).cpu()", "nn.Linear(2,2).cpu()",
    "accelerator.is_available()", "accelerator.device_count()", "accelerator.current_accelerator()",
    "accelerator.synchronize()", "mps.is_available()", "mps.device_count()", "mps.manual_seed(1)", "xpu.is_available()",
    "xpu.device_count()", "xpu.synchronize()", "xpu.empty_cache()", "xpu.memory_allocated()", "xpu.current_device()",
    "mtia.is_available()", "cpu.is_available()", "cpu.device_count()", "cpu.current_device()", "cpu.synchronize()",
    "are_deterministic_algorithms_enabled()", "is_deterministic_algorithms_warn_only_enabled()",
    "use_deterministic_algorithms(True)", "get_deterministic_debug_mode()", "set_deterministic_debug_mode('warn')",
    "get_deterministic_debug_mode()", "set_deterministic_debug_mode(7)", "get_float32_matmul_precision()",
    "set_float32_matmul_precision('foo')", "set_float32_matmul_precision('high')", "get_float32_matmul_precision()",
    "set_warn_always(True)", "is_warn_always_enabled()", "get_default_device()", "set_default_device('cpu')",
    "set_default_device(None)", "set_default_tensor_type(torch.DoubleTensor)", "get_default_dtype()",
    "set_default_tensor_type('torch.FloatTensor')", "set_default_tensor_type(torch.cuda.FloatTensor)",
    "set_default_dtype(torch.int32)", "version.cuda", "version.hip", "backends.cuda.is_built()",
    "backends.cuda.flash_sdp_enabled()", "backends.cudnn.version()", "backends.cudnn.is_available()",
    "backends.cudnn.benchmark", "backends.cudnn.deterministic", "backends.mps.is_available()",
    "backends.mps.is_built()", "Tensor(2,3).shape", "Tensor([1,2])", "Tensor().shape", "Tensor(torch.ones(2))",
    "FloatTensor([1,2])", "LongTensor(3).dtype", "ByteTensor([1])", "Tensor(3.5)", "Tensor('a')", "FloatTensor.dtype",
    "ones(2).type()", "ones(2).type('torch.LongTensor')", "ones(2).type(torch.LongTensor)", "ones(2).type('foo')",
    "is_autocast_enabled()", "is_autocast_enabled('cpu')", "get_autocast_dtype('cpu')", "get_autocast_dtype('cuda')",
    "is_autocast_cache_enabled()", "amp.is_autocast_available('cuda')", "autocast(3)",
    "amp.GradScaler('cpu').state_dict()", "amp.GradScaler('cpu').get_scale()",
    "amp.GradScaler('cpu').scale(torch.ones(2))", "amp.GradScaler('cpu').step(None)", "amp.GradScaler('cpu').update()",
]


def shown(value):
    text = repr(value).replace("pywasmtorch", "torch")
    return type(value).__name__ if " at 0x" in text else text


@program
def answers(torch):
    """Names of the library itself, or with "=" whole expressions."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for text in EXPRESSIONS:
            try:
                found[text] = shown(eval(text[1:] if text[0] == "=" else f"torch.{text}", {"torch": torch}))
            except Exception as error:
                found[text] = f"{type(error).__name__}: {str(error)[:40]}".splitlines()[0]
    torch.set_default_dtype(torch.float32)
    torch.use_deterministic_algorithms(False)
    torch.set_float32_matmul_precision("highest")
    torch.set_warn_always(False)
    return found
