import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createJobQueue } from './job-queue.ts'

const limits = { mailsWaiting: 3, mailsAtOnce: 2, mailDrainMs: 20 }

/** A queue whose jobs end when the test resolves them. */
function open() {
  const running = new Map<string, PromiseWithResolvers<void>>()
  const done: string[] = []
  const messages: string[] = []
  const jobs = createJobQueue<string>({
    limits,
    log: { error: (message) => void messages.push(message) },
    async work(job) {
      const gate = Promise.withResolvers<void>()
      running.set(job, gate)
      await gate.promise
      running.delete(job)
      done.push(job)
    },
  })
  return { jobs, running, done, messages }
}
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('some are worked on at once, in order; the others follow', async () => {
  const { jobs, running, done } = open()
  for (const job of ['a', 'b', 'c']) jobs.add(job)
  assert.deepEqual([...running.keys()], [], 'whoever adds one goes on first')
  await turn()
  assert.deepEqual([...running.keys()], ['a', 'b'])
  running.get('b')!.resolve()
  await turn()
  assert.deepEqual([...running.keys()], ['a', 'c'])
  for (const { resolve } of running.values()) resolve()
  await jobs.close()
  assert.deepEqual(done.toSorted(), ['a', 'b', 'c'])
})

test('one too many is dropped, and the log reports it', async () => {
  const { jobs, running, messages } = open()
  for (const job of ['a', 'b', 'c', 'd']) jobs.add(job)
  assert.deepEqual(messages, ['Too many mails are waiting: one was dropped.'])
  await turn()
  assert.deepEqual([...running.keys()], ['a', 'b'])
  running.get('a')!.resolve()
  running.get('b')!.resolve()
  await turn()
  assert.deepEqual([...running.keys()], ['c'])
  running.get('c')!.resolve()
  await jobs.close()
})

test('what fails is logged, and keeps nobody waiting', async () => {
  const { jobs, running, done, messages } = open()
  jobs.add('a')
  jobs.add('b')
  await turn()
  running.get('a')!.reject(new Error('No such host.'))
  running.get('b')!.resolve()
  await jobs.close()
  assert.deepEqual(messages, ['A mail could not be sent.'])
  assert.deepEqual(done, ['b'])
})

test('a service that stops does not wait for ever', async () => {
  const { jobs, running, messages } = open()
  for (const job of ['a', 'b', 'c']) jobs.add(job)
  await jobs.close()
  assert.deepEqual(messages, ['Mails were dropped, as there was no time left to send them.'])
  assert.deepEqual([...running.keys()], ['a', 'b'])
})
