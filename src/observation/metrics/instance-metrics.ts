// Adds up the metrics of several processes on one port. A process that does not answer in time is left out.

import type { Cluster, Worker } from 'node:cluster'
import type { Limits } from '../../limits.ts'
import type { Log } from '../log.ts'
import type { Prometheus } from './prometheus.ts'

type OwnMetrics = Awaited<ReturnType<InstanceType<Prometheus['Registry']>['getMetricsAsJSON']>>
interface Question {
  readonly asks: 'metrics'
  readonly number: number
}
interface Answer {
  readonly answers: number
  readonly metrics: OwnMetrics
}

/** In a process that the primary forked. */
export function answerPrimary(read: () => Promise<OwnMetrics>): void {
  process.on('message', async (message: Partial<Question>) => {
    if (message?.asks !== 'metrics') return
    const answer: Answer = { answers: message.number!, metrics: await read() }
    if (process.connected) process.send!(answer)
  })
}

export interface AskInstances {
  readonly limits: Pick<Limits, 'instanceMetricsMs'>
  readonly log: Pick<Log, 'warn'>
}

/** In the primary: the sum of what its processes report. */
export function createInstanceMetrics(
  cluster: Cluster,
  { AggregatorRegistry }: Prometheus,
  { limits, log }: AskInstances,
): () => Promise<string> {
  let questions = 0
  return async () => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected() === true)
    const question: Question = { asks: 'metrics', number: questions++ }
    const answers = await Promise.all(workers.map((worker) => ask(worker!, question, limits.instanceMetricsMs)))
    for (const [at, answer] of answers.entries())
      if (answer === null) log.warn('An instance does not report its metrics.', { pid: workers[at]!.process.pid })
    return AggregatorRegistry.aggregate(answers.filter((each) => each !== null)).metrics()
  }
}

/** Null if it does not answer in time. */
function ask(worker: Worker, question: Question, waitMs: number): Promise<OwnMetrics | null> {
  const { promise, resolve } = Promise.withResolvers<OwnMetrics | null>()
  const listen = (message: Partial<Answer>) => message?.answers === question.number && resolve(message.metrics!)
  const timer = setTimeout(() => resolve(null), waitMs)
  worker.on('message', listen)
  worker.send(question, () => undefined)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.off('message', listen)
  })
}
