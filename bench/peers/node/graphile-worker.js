// graphile-worker: the settings that its page on performance measures, and its defaults where latency counts.

import pg from 'pg'
import { Logger, makeWorkerUtils, run } from 'graphile-worker'
import { main } from './driver.js'

const MOODS = {
  throughput: { concurrentJobs: 24, localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 },
  latency: { concurrentJobs: 24 }
}

let pool, utils
const logger = new Logger(() => (level, message) => {
  if (level === 'error') console.error(message)
})

await main({
  async open (url) {
    pool = new pg.Pool({ connectionString: url, max: 25 })
    utils = await makeWorkerUtils({ pgPool: pool, logger })
    await utils.migrate()
  },

  async fill (jobs) {
    await utils.addJobs(jobs.map(payload => ({ identifier: 'noop', payload })))
  },

  async add (job) {
    await utils.addJob('noop', job)
  },

  async work (hit, mood) {
    await run({
      pgPool: pool,
      logger,
      noHandleSignals: true,
      taskList: { noop: async job => hit(job) },
      preset: { worker: MOODS[mood] }
    })
  },

  async left () {
    const { rows } = await pool.query('select count(*)::int as n from graphile_worker._private_jobs')
    return rows[0].n
  }
})
