"""stable-baselines3: agents that learn to hold a pole by PPO, A2C and DQN, saved, loaded, and what they do."""

import json
import tempfile

import gymnasium
from stable_baselines3 import A2C, DQN, PPO

results = {}
agents = {
    "ppo": lambda env: PPO("MlpPolicy", env, n_steps=64, batch_size=32, n_epochs=2, seed=0, device="cpu"), "a2c": lambda env: A2C("MlpPolicy", env, n_steps=16, seed=0, device="cpu"),
    "dqn": lambda env: DQN("MlpPolicy", env, learning_starts=32, train_freq=4, buffer_size=500, seed=0, device="cpu"),
}  # fmt: skip
for name, make in agents.items():
    agent = make(gymnasium.make("CartPole-v1"))
    agent.learn(128)
    with tempfile.TemporaryDirectory() as folder:
        agent.save(f"{folder}/agent.zip")
        again = type(agent).load(f"{folder}/agent.zip", device="cpu")
    env = gymnasium.make("CartPole-v1")
    state, _ = env.reset(seed=1)
    actions = []
    for _ in range(20):
        action, _ = again.predict(state, deterministic=True)
        state, _, ended, _, _ = env.step(int(action))
        actions.append(int(action))
        if ended:
            state, _ = env.reset(seed=2)
    results[name] = actions
    results[f"{name} weights"] = [float(p.detach().double().abs().sum()) for p in again.policy.parameters()]
print(json.dumps(results))
