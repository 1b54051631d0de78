import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Failure } from '../failure/failure.ts'
import { createLog, type LogOptions } from './log.ts'

function logged(options: Partial<LogOptions>, tell: (log: ReturnType<typeof createLog>) => void): readonly string[] {
  const lines: string[] = []
  tell(createLog({ json: true, write: (line) => void lines.push(line), ...options }))
  return lines
}

describe('in production', () => {
  const one = (tell: (log: ReturnType<typeof createLog>) => void, options: Partial<LogOptions> = {}) =>
    JSON.parse(logged(options, tell)[0]!)

  test('an error is logged with its causes, and without what drivers add to it', () => {
    const cause = Object.assign(new Error('Failing row.'), { code: '23514', detail: 'contains (usr_1, $argon2id$…)' })
    const { err, level, msg, requestId } = one((log) =>
      log.error('It failed.', { err: new Failure('SERVICE_UNAVAILABLE', { cause }), requestId: 'abc' }),
    )
    assert.deepEqual([level, msg, requestId], ['error', 'It failed.', 'abc'])
    assert.deepEqual([err.code, err.cause.message, err.cause.code], ['SERVICE_UNAVAILABLE', 'Failing row.', '23514'])
    assert(!JSON.stringify(err).includes('argon2id'))
    assert.match(err.cause.stack, /log\.test\.ts/)
  })

  test('causes end somewhere', () => {
    const error = new Error('round')
    error.cause = error
    assert.match(logged({}, (log) => log.error('It failed.', { err: error }))[0]!, /round/)
  })

  test('secrets are taken out of messages, fields and errors', () => {
    const output = logged({ secrets: ['hunter2'] }, (log) =>
      log.warn('It was hunter2.', {
        password: 'planted',
        deep: [{ token: 'planted', text: 'hunter2' }],
        err: new Error('hunter2'),
      }),
    )[0]!
    assert.doesNotMatch(output, /hunter2|planted/)
    assert.match(output, /\[secret\]/)
  })

  test('of several errors at once the first is logged', () => {
    const { err } = one((log) => log.warn('No address answers.', { err: new AggregateError([new Error('refused')]) }))
    assert.equal(err.first.message, 'refused')
  })

  test('the level leaves out what is less important', () => {
    const all = (log: ReturnType<typeof createLog>) => {
      log.info('one')
      log.warn('two')
      log.error('three')
    }
    const messages = (level: LogOptions['level'] & string) => logged({ level }, all).map((line) => JSON.parse(line).msg)
    assert.deepEqual(messages('info'), ['one', 'two', 'three'])
    assert.deepEqual(messages('warn'), ['two', 'three'])
    assert.deepEqual(messages('error'), ['three'])
    assert.deepEqual(messages('off'), [])
  })
})

test('in development a line is for people', () => {
  const [info, warning, error] = logged({ json: false }, (log) => {
    log.info('Up.')
    log.warn('Careful.', { count: 2 })
    log.error('Broken.', { err: new Error('why') })
  })
  assert.match(info!, /^\d\d:\d\d:\d\d Up\.\n$/)
  assert.match(warning!, /^\d\d:\d\d:\d\d warn: Careful\. {"count":2}\n$/)
  assert.match(error!, /^\d\d:\d\d:\d\d error: Broken\.\nError: why\n {4}at .*log\.test\.ts/)
})
