"""A policy learns to walk a corridor to its lit end: an environment of its own, sampled actions, discounted returns, an actor and a critic."""

from collections import deque, namedtuple

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.distributions import Categorical

SavedAction = namedtuple("SavedAction", ["log_prob", "value"])


class Corridor:
    """Nine places; a lamp at one end or the other. A step costs a little, the lamp pays."""

    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)

    def reset(self):
        self.place, self.time = 4, 0
        self.lamp = 8 * int(torch.randint(2, (1,), generator=self.generator))
        return self.state()

    def state(self):
        return [self.place / 8, self.lamp / 8, (self.lamp - self.place) / 8, self.time / 20]

    def step(self, action):
        self.place = min(8, max(0, self.place + (1 if action else -1)))
        self.time += 1
        done = self.place == self.lamp or self.time == 20
        return self.state(), 1.0 if self.place == self.lamp else -0.05, done


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.affine1 = nn.Linear(4, 24)
        self.action_head, self.value_head = nn.Linear(24, 2), nn.Linear(24, 1)
        self.saved_actions, self.rewards = [], []

    def forward(self, x):
        x = F.relu(self.affine1(x))
        return F.softmax(self.action_head(x), dim=-1), self.value_head(x)


def select_action(model, state):
    probs, value = model(torch.tensor(state, dtype=torch.float))
    m = Categorical(probs)
    action = m.sample()
    model.saved_actions.append(SavedAction(m.log_prob(action), value))
    return action.item(), m.entropy()


def finish_episode(model, optimizer, gamma=0.95):
    R, returns, policy_losses, value_losses = 0.0, deque(), [], []
    for r in model.rewards[::-1]:
        R = r + gamma * R
        returns.appendleft(R)
    returns = torch.tensor(list(returns))
    if len(returns) > 1:
        returns = (returns - returns.mean()) / (returns.std() + 1e-4)
    for (log_prob, value), R in zip(model.saved_actions, returns):
        policy_losses.append(-log_prob * (R - value.item()))
        value_losses.append(F.smooth_l1_loss(value, R.reshape(1)))
    optimizer.zero_grad()
    loss = torch.stack(policy_losses).sum() + torch.stack(value_losses).sum()
    loss.backward()
    optimizer.step()
    del model.rewards[:], model.saved_actions[:]
    return loss.item()


env = Corridor(543)
torch.manual_seed(543)
model = Policy()
optimizer = optim.Adam(model.parameters(), lr=1e-2)
running = 0.0
for episode in range(25):
    state, total, done = env.reset(), 0.0, False
    while not done:
        action, entropy = select_action(model, state)
        state, reward, done = env.step(action)
        model.rewards.append(reward)
        total += reward
    steps = len(model.rewards)
    loss = finish_episode(model, optimizer)
    running = 0.05 * total + 0.95 * running
    print(f"episode {episode} steps {steps} reward {total:.2f} loss {loss:.6f} entropy {entropy.item():.5f}")
