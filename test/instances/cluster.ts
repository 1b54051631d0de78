// Four instances with a PostgreSQL and a Redis of their own, and a record of when each was there.

import pg from 'pg'
import { createSupervised, type Supervised } from '../support/process/supervised-service.ts'
import { type Pgbouncer, setForRole, startPgbouncer } from '../support/server/pgbouncer.ts'
import { type PostgresServer, startPostgresServer } from '../support/server/postgres-server.ts'
import { type RedisServer, startRedisServer } from '../support/server/redis.ts'

/** Requests per minute that one address has. */
export const addressLimit = 30

export interface Cluster {
  readonly postgres: PostgresServer
  readonly redis: RedisServer
  /** What instances use in the place of PostgreSQL. */
  readonly pooler: Pgbouncer | null
  readonly instances: readonly Supervised[]
  /** When Redis was started, in milliseconds: each time it was empty. */
  readonly redisStarts: number[]
  /** When each process of an instance was started, by the instance's place. */
  readonly instanceStarts: number[][]
  /** When PostgreSQL was away, until it answered again. */
  readonly outages: { from: number; to: number }[]
  /** Asks the database directly. */
  rows<Row extends object>(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>
  stop(): Promise<void>
}

export async function startCluster(count: number, isPooled = false): Promise<Cluster> {
  const [postgres, redis] = await Promise.all([startPostgresServer(), startRedisServer()])
  if (isPooled) await setForRole(postgres.url)
  const pooler = isPooled ? await startPgbouncer(postgres.url, 'transaction') : null
  const environment = {
    DATABASE_URL: (pooler ?? postgres).url,
    REDIS_URL: redis.url,
    BASE_URL: 'http://service.example',
    TRUST_PROXY: '127.0.0.1/32',
    LIMIT_IP_PER_MINUTE: `${addressLimit}`,
    LIMIT_USER_PER_HOUR: '0',
  }
  const instances = await Promise.all(Array.from({ length: count }, () => createSupervised(environment)))
  const cluster: Cluster = {
    postgres,
    redis,
    pooler,
    instances,
    redisStarts: [Date.now()],
    instanceStarts: instances.map(() => [Date.now()]),
    outages: [],
    async rows<Row extends object>(sql: string, values: readonly unknown[] = []) {
      const client = new pg.Client({ connectionString: postgres.url, options: '-c timezone=UTC' })
      client.on('error', () => {})
      await client.connect()
      try {
        return (await client.query(sql, [...values])).rows as Row[]
      } finally {
        await client.end()
      }
    },
    async stop() {
      await Promise.all(instances.map((instance) => instance.end('SIGKILL')))
      await Promise.all([redis.kill(), pooler?.stop(), postgres.remove()])
    },
  }
  try {
    // At once: one of them makes the tables and the demo data, the others wait.
    await Promise.all(instances.map((instance) => instance.start()))
    return cluster
  } catch (error) {
    await cluster.stop()
    throw error
  }
}
