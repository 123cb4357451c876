// What every Node peer's program shares: the command line, the loads and the answer. ../README.md tells them.
//
// A peer says how its library adds, runs and counts: { open(url), fill(jobs), add(job), work(hit, mood), left() }.
// Everything that is measured is done here, so that all of them are measured alike.

import { parseArgs } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'

// For a worker's listeners to come up before anything is added.
const SETTLE_MS = 300
// A worker that has run nothing for so long will not run the rest.
const PATIENCE_MS = 10_000
const FILL_BATCH = 1000

const OPTIONS = {
  url: { type: 'string' },
  tasks: { type: 'string' },
  callers: { type: 'string', default: '1' },
  rate: { type: 'string', default: '1' }
}

export async function main (peer) {
  const { positionals: [load], values } = parseArgs({ allowPositionals: true, options: OPTIONS })
  const tasks = Number(values.tasks)
  await peer.open(values.url)
  console.log(JSON.stringify(await loads[load](peer, tasks, Number(values.callers), Number(values.rate))))
  // Whoever asked looks at the process and then closes its standard input.
  process.stdin.resume().on('end', () => process.exit(0))
}

const loads = {
  async fill (peer, tasks) {
    const began = begin()
    for (let first = 0; first < tasks; first += FILL_BATCH) {
      const length = Math.min(FILL_BATCH, tasks - first)
      await peer.fill(Array.from({ length }, (_, at) => job(first + at)))
    }
    return added(tasks, began, await peer.left())
  },

  async drain (peer, tasks) {
    const recorder = new Recorder(tasks)
    const began = begin()
    await peer.work(recorder.hit, 'throughput')
    await recorder.wait(peer)
    return recorder.answer(began)
  },

  async add (peer, tasks, callers) {
    const began = begin()
    await addFromMany(peer, tasks, callers)
    return added(tasks, began, await peer.left())
  },

  async cycle (peer, tasks, callers) {
    const recorder = new Recorder(tasks)
    await peer.work(recorder.hit, 'throughput')
    await sleep(SETTLE_MS)
    const began = begin()
    await addFromMany(peer, tasks, callers)
    await recorder.wait(peer)
    return recorder.answer(began)
  },

  async latency (peer, tasks, _callers, rate) {
    const recorder = new Recorder(tasks)
    await peer.work(recorder.hit, 'latency')
    await sleep(SETTLE_MS)
    const began = begin()
    await addByPlan(peer, tasks, rate)
    await recorder.wait(peer)
    return recorder.answer(began)
  },

  async serve (peer, tasks) {
    const recorder = new Recorder(tasks)
    await peer.work(recorder.hit, 'latency')
    await sleep(SETTLE_MS)
    const began = begin()
    await recorder.wait(peer)
    return recorder.answer(began)
  },

  async call (peer, tasks, _callers, rate) {
    const began = begin()
    await addByPlan(peer, tasks, rate)
    // Another process runs them: how many are left says nothing.
    return added(tasks, began, tasks)
  }
}

// Who ran, how often, and how long each had waited.
class Recorder {
  constructor (tasks) {
    this.runs = new Uint32Array(tasks)
    this.waitedUs = new Float64Array(tasks)
    this.hits = 0
  }

  hit = ({ number, calledUs }) => {
    this.waitedUs[number] = nowUs() - calledUs
    this.runs[number] += 1
    this.hits += 1
  }

  // Until all have run and none is left, or nothing moves any more: the answer tells which.
  async wait (peer) {
    let [seen, moved] = [0, Date.now()]
    while (this.hits < this.runs.length && Date.now() - moved < PATIENCE_MS) {
      if (this.hits > seen) [seen, moved] = [this.hits, Date.now()]
      await sleep(1)
    }
    while (this.hits >= this.runs.length && Date.now() - moved < PATIENCE_MS && await peer.left() > 0) {
      await sleep(1)
    }
  }

  answer (began) {
    const seconds = secondsSince(began)
    const sorted = this.waitedUs.slice().sort()
    const percentile = percent => Math.round(sorted[Math.max(1, Math.ceil(sorted.length * percent / 100)) - 1])
    return {
      tasks: this.runs.length,
      seconds,
      missing: this.runs.filter(runs => runs === 0).length,
      doubled: this.runs.filter(runs => runs > 1).length,
      p50_us: percentile(50),
      p99_us: percentile(99)
    }
  }
}

function begin () {
  console.log(JSON.stringify({ began: true }))
  return performance.now()
}

const secondsSince = began => (performance.now() - began) / 1000

// Microseconds of the clock that all processes of a machine share.
const nowUs = () => Math.round((performance.timeOrigin + performance.now()) * 1000)

const job = number => ({ number, calledUs: nowUs() })

// As many as were added and not run should be left.
function added (tasks, began, left) {
  const seconds = secondsSince(began)
  return { tasks, seconds, missing: Math.max(0, tasks - left), doubled: Math.max(0, left - tasks) }
}

// By the plan and not by the last one: a slow add must not thin out the load.
async function addByPlan (peer, tasks, rate) {
  const began = performance.now()
  for (let number = 0; number < tasks; number += 1) {
    await sleep(Math.max(0, 1000 * number / rate - (performance.now() - began)))
    await peer.add(job(number))
  }
}

async function addFromMany (peer, tasks, callers) {
  let next = 0
  const addSome = async () => {
    while (next < tasks) await peer.add(job(next++))
  }
  await Promise.all(Array.from({ length: callers }, addSome))
}
