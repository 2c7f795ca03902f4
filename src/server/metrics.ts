import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import { pool } from '~/db/db.server'
import { perProcess } from '~/db/per-process'
import { queues } from './limited'

/** What Prometheus reads. Labels hold route patterns, never a requested path. */
export const metrics = () =>
  perProcess('metrics', () => {
    const registry = new Registry()
    collectDefaultMetrics({ register: registry })
    const registers = [registry]
    const connections = new Gauge({
      name: 'sanad_db_connections',
      help: 'Connections of the pool to PostgreSQL, by state; waiting are requests without one.',
      labelNames: ['state'],
      registers,
      collect() {
        const { totalCount, idleCount, waitingCount } = pool()
        this.set({ state: 'busy' }, totalCount - idleCount)
        this.set({ state: 'idle' }, idleCount)
        this.set({ state: 'waiting' }, waitingCount)
      },
    })
    const queued = new Gauge({
      name: 'sanad_queue',
      help: 'Work that is limited (passwords to hash, large bodies): begun since the start, and waiting.',
      labelNames: ['queue', 'state'],
      registers,
      collect() {
        for (const [name, { begun, waiting }] of queues()) {
          this.set({ queue: name, state: 'begun' }, begun())
          this.set({ queue: name, state: 'waiting' }, waiting())
        }
      },
    })
    const labelNames = ['method', 'route', 'status'] as const
    return {
      registry,
      connections,
      queued,
      requests: new Counter({
        name: 'sanad_http_requests_total',
        help: 'Requests answered.',
        labelNames,
        registers,
      }),
      seconds: new Histogram({
        name: 'sanad_http_request_seconds',
        help: 'Time from the request to the end of its answer.',
        labelNames,
        buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
        registers,
      }),
      eventStreams: new Gauge({
        name: 'sanad_http_event_streams',
        help: 'Live event streams now open.',
        registers,
      }),
    }
  })
