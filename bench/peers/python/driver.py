"""What every Python peer's program shares: the command line, the loads and the answer. ../README.md tells them.

A peer says how its library adds, runs and counts; everything that is measured is done here.
"""

import argparse
import asyncio
import json
import math
import sys
import time

# For a worker's listeners to come up before anything is added.
SETTLE_S = 0.3
# A worker that has run nothing for so long will not run the rest.
PATIENCE_S = 10
FILL_BATCH = 1000


def main(peer):
    parser = argparse.ArgumentParser()
    parser.add_argument("load", choices=LOADS)
    parser.add_argument("--url", required=True)
    parser.add_argument("--tasks", type=int, required=True)
    parser.add_argument("--callers", type=int, default=1)
    parser.add_argument("--rate", type=int, default=1)
    asyncio.run(run(peer, parser.parse_args()))


async def run(peer, asked):
    await peer.open(asked.url)
    say(await LOADS[asked.load](peer, asked))
    # Whoever asked looks at the process and then closes its standard input.
    sys.stdin.read()
    sys.exit(0)


async def fill(peer, asked):
    async def add():
        for first in range(0, asked.tasks, FILL_BATCH):
            await peer.fill([job(number) for number in range(first, min(first + FILL_BATCH, asked.tasks))])

    return await added(peer, asked, add())


async def add(peer, asked):
    return await added(peer, asked, add_from_many(peer, asked))


async def drain(peer, asked):
    recorder = Recorder(asked.tasks)
    began = begin()
    await peer.work(recorder.hit)
    await recorder.wait(peer)
    return recorder.answer(began)


async def cycle(peer, asked):
    return await worked(peer, asked, add_from_many(peer, asked))


async def latency(peer, asked):
    return await worked(peer, asked, add_by_plan(peer, asked))


async def serve(peer, asked):
    return await worked(peer, asked, asyncio.sleep(0))


async def call(peer, asked):
    began = begin()
    await add_by_plan(peer, asked)
    # Another process runs them: how many are left says nothing.
    return {"tasks": asked.tasks, "seconds": time.perf_counter() - began, "missing": 0, "doubled": 0}


LOADS = {load.__name__: load for load in (fill, add, drain, cycle, latency, serve, call)}


async def added(peer, asked, adding):
    """Adds without anybody who runs: as many as were added should be left."""
    began = begin()
    await adding
    seconds = time.perf_counter() - began
    left = await peer.left()
    missing, doubled = max(0, asked.tasks - left), max(0, left - asked.tasks)
    return {"tasks": asked.tasks, "seconds": seconds, "missing": missing, "doubled": doubled}


async def worked(peer, asked, adding):
    """Runs what is added meanwhile."""
    recorder = Recorder(asked.tasks)
    await peer.work(recorder.hit)
    await asyncio.sleep(SETTLE_S)
    began = begin()
    await adding
    await recorder.wait(peer)
    return recorder.answer(began)


async def add_by_plan(peer, asked):
    """By the plan and not by the last one: a slow add must not thin out the load."""
    began = time.perf_counter()
    for number in range(asked.tasks):
        await asyncio.sleep(max(0, number / asked.rate - (time.perf_counter() - began)))
        await peer.add(job(number))


async def add_from_many(peer, asked):
    numbers = iter(range(asked.tasks))

    async def add_some():
        for number in numbers:
            await peer.add(job(number))

    await asyncio.gather(*(add_some() for _ in range(asked.callers)))


class Recorder:
    """Who ran, how often, and how long each had waited."""

    def __init__(self, tasks):
        self.hits, self.runs, self.waited_us = 0, [0] * tasks, [0] * tasks

    def hit(self, number, called_us):
        self.waited_us[number] = now_us() - called_us
        self.runs[number] += 1
        self.hits += 1

    async def wait(self, peer):
        """Until all have run and none is left, or nothing moves any more: the answer tells which."""
        seen, moved, tasks = 0, time.perf_counter(), len(self.runs)
        while self.hits < tasks and time.perf_counter() - moved < PATIENCE_S:
            if self.hits > seen:
                seen, moved = self.hits, time.perf_counter()
            await asyncio.sleep(0.001)
        while self.hits >= tasks and time.perf_counter() - moved < PATIENCE_S and await peer.left() > 0:
            await asyncio.sleep(0.001)

    def answer(self, began):
        seconds = time.perf_counter() - began
        waited = sorted(self.waited_us)

        def percentile(percent):
            return waited[max(1, math.ceil(len(waited) * percent / 100)) - 1]

        return {
            "tasks": len(self.runs),
            "seconds": seconds,
            "missing": sum(runs == 0 for runs in self.runs),
            "doubled": sum(runs > 1 for runs in self.runs),
            "p50_us": percentile(50),
            "p99_us": percentile(99),
        }


def begin():
    say({"began": True})
    return time.perf_counter()


def say(line):
    print(json.dumps(line), flush=True)


def now_us():
    """Microseconds of the clock that all processes of a machine share."""
    return time.time_ns() // 1000


def job(number):
    return {"number": number, "called_us": now_us()}
