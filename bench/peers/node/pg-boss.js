// pg-boss: batches that are fetched without a pause while they come back full, and LISTEN/NOTIFY for single jobs.

import { PgBoss } from 'pg-boss'
import { main } from './driver.js'

const QUEUE = 'noop'
const MOODS = {
  throughput: { batchSize: 1000, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 0.5 },
  latency: { batchSize: 10, localConcurrency: 4, pollingIntervalSeconds: 0.5 }
}

let boss

await main({
  async open (url) {
    // Neither schedules nor clean-ups have anything to do here.
    boss = new PgBoss({ connectionString: url, max: 20, useListenNotify: true, schedule: false, supervise: false })
    boss.on('error', console.error)
    await boss.start()
    await boss.createQueue(QUEUE, { notify: true })
  },

  async fill (jobs) {
    await boss.insert(QUEUE, jobs.map(data => ({ data })))
  },

  async add (job) {
    await boss.send(QUEUE, job)
  },

  async work (hit, mood) {
    await boss.work(QUEUE, MOODS[mood], async jobs => jobs.forEach(({ data }) => hit(data)))
  },

  async left () {
    const { rows } = await boss.getDb().executeSql(`
      select count(*)::int as n from pgboss.job where name = '${QUEUE}' and state < 'completed'`)
    return rows[0].n
  }
})
