// What every store promises of reads and writes beside each other, whichever database is behind it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { forEachStore, isUnavailable } from '../../test/support/domain/things.ts'
import { Failure } from '../failure/failure.ts'
import { bind, command, type Program, type StoredRow, UniqueViolation } from './store.ts'

forEachStore((things) => {
  const {
    engine,
    parameters: [first],
    insert,
    select,
    broken,
    open,
    put,
    list,
    rowsOf,
    ids,
    asynchronous,
  } = things

  test('shows a read every write that was answered before it', async () => {
    for (let number = 0; number < 30; number++) {
      const id = `thing_${String(number).padStart(2, '0')}`
      assert.equal(await things.store.write(() => put(id)), id)
      assert.equal((await ids()).at(-1), id)
    }
  })

  test('answers a program with what it returns, and each statement with its rows', async () => {
    const rows = await things.store.write(function* () {
      const none = yield bind(insert, 'a', 'A')
      yield bind(insert, 'b', null)
      return [none, yield bind(select)]
    })
    assert.deepEqual(rows, [
      [],
      [
        ['a', 'A'],
        ['b', null],
      ],
    ])
  })

  test('undoes a program that fails, and none of those beside it', async () => {
    const outcomes = await Promise.allSettled([
      things.store.write(() => put('a')),
      things.store.write(function* () {
        yield* put('b')
        throw new Failure('BUSINESS_RULE_VIOLATION')
      }),
      things.store.write(() => put('c')),
    ])
    assert.deepEqual(
      outcomes.map((each) => each.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    assert.equal((outcomes[1] as PromiseRejectedResult).reason.code, 'BUSINESS_RULE_VIOLATION')
    assert.deepEqual(await ids(), ['a', 'c'])
  })

  test('undoes a program whose later statement fails', async () => {
    await assert.rejects(
      things.store.write(function* () {
        yield* put('a')
        yield bind(broken)
      }),
      /nowhere/,
    )
    await assert.rejects(
      things.store.read(
        (function* () {
          yield bind(broken)
        })(),
      ),
      /nowhere/,
    )
    assert.deepEqual(await ids(), [])
  })

  test('never shows a read what is not committed', async () => {
    const visible = await things.store.write(
      function* (): Program<unknown> {
        yield* put('a')
        let visible: unknown
        yield {
          run: async (run) => {
            await run(put('b'))
            visible = await ids()
          },
        }
        return visible
      },
      { exclusive: true },
    )
    assert.deepEqual(visible, [])
    assert.deepEqual(await ids(), ['a', 'b'])
  })

  test('shows a write what it has written itself, in asynchronous steps, too', async () => {
    let inside: readonly StoredRow[] = []
    await things.store.write(
      function* () {
        yield* put('a')
        yield {
          run: async (run) => {
            await wait(5)
            await Promise.all([run(put('b')), run(put('c'))])
            inside = await run(list())
          },
        }
        yield* put('d')
      },
      { exclusive: true },
    )
    assert.deepEqual(
      inside.map(([id]) => id),
      ['a', 'b', 'c'],
    )
    assert.deepEqual(await ids(), ['a', 'b', 'c', 'd'])
  })

  test('waits in an asynchronous step for what the work itself does not wait for', async () => {
    await things.store.write(
      asynchronous(async (run) => {
        void run(put('a'))
        void run(put('b'))
      }),
      { exclusive: true },
    )
    assert.deepEqual(await ids(), ['a', 'b'])
  })

  test('undoes a write whose asynchronous step fails', async () => {
    const failing = asynchronous(async (run) => {
      await run(put('a'))
      throw new Failure('BUSINESS_RULE_VIOLATION')
    })
    await assert.rejects(things.store.write(failing, { exclusive: true }), { code: 'BUSINESS_RULE_VIOLATION' })
    assert.deepEqual(await ids(), [])
  })

  test('undoes a write in which something failed, even where its work goes on', async () => {
    const forgiving = asynchronous(async (run) => {
      await run(put('a'))
      await run(put('a')).catch(() => undefined)
      await run(put('b')).catch(() => undefined)
    })
    await assert.rejects(things.store.write(forgiving, { exclusive: true }), UniqueViolation)
    const failing = asynchronous(async (run) => {
      await run(
        (function* (): Program<void> {
          yield* put('c')
          throw new Failure('NOT_FOUND')
        })(),
      ).catch(() => undefined)
    })
    await assert.rejects(things.store.write(failing, { exclusive: true }), { code: 'NOT_FOUND' })
    assert.deepEqual(await ids(), [])
  })

  test('lets only an exclusive write yield an asynchronous step', async () => {
    let paused = false
    const idle = asynchronous(async () => {
      paused = true
    })
    await assert.rejects(things.store.write(idle), /Invariant/)
    await assert.rejects(things.store.read(idle()), /Invariant/)
    assert.equal(paused, false)
  })

  test('runs an asynchronous step of what an asynchronous step runs, between the statements around it', async () => {
    const seen: StoredRow[][] = []
    function* outer(): Program<void> {
      yield* put('a')
      yield {
        run: async (run) => {
          seen.push([...(await run(list()))])
          await wait(5)
          await run(put('b'))
        },
      }
      seen.push([...(yield bind(select))])
      yield* put('c')
    }
    await things.store.write(
      // The second waits for all of the first, though the work does not.
      asynchronous(async (run) => {
        void run(outer())
        seen.push([...(await run(list()))])
      }),
      { exclusive: true },
    )
    assert.deepEqual(
      seen.map((rows) => rows.map(([id]) => id)),
      [['a'], ['a', 'b'], ['a', 'b', 'c']],
    )
  })

  test('undoes a write in which a nested step failed, even where work around it goes on', async () => {
    const failing = asynchronous(async (run) => {
      await run(put('a'))
      throw new Failure('NOT_FOUND')
    })
    const forgiving = asynchronous(async (run) => {
      await run(failing()).catch(() => undefined)
      await run(put('b')).catch(() => undefined)
    })
    await assert.rejects(things.store.write(forgiving, { exclusive: true }), { code: 'NOT_FOUND' })
    const careless = asynchronous(async (run) => {
      await run(
        asynchronous(async (inner) => {
          await inner(put('a'))
          await inner(put('a')).catch(() => undefined)
        })(),
      ).catch(() => undefined)
    })
    await assert.rejects(things.store.write(careless, { exclusive: true }), UniqueViolation)
    assert.deepEqual(await ids(), [])
  })

  test('ends what a nested step began and did not wait for before the statements after it', async () => {
    const careless = asynchronous(async (run) => {
      void run(put('a')).then(() => run(put('b')))
    })
    let inside: readonly StoredRow[] = []
    await things.store.write(
      asynchronous(async (run) => {
        void run(careless())
        inside = await run(list())
      }),
      { exclusive: true },
    )
    assert.deepEqual(
      inside.map(([id]) => id),
      ['a', 'b'],
    )
  })

  test('takes nothing from work whose step has ended, and undoes its write', async () => {
    const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
    const late: Promise<unknown>[] = []
    await assert.rejects(
      things.store.write(
        function* (): Program<void> {
          yield {
            run: async (run) => {
              const refusal = isOver.then(() => run(put('b')))
              late.push(assert.rejects(refusal, /step that has ended/))
              await run(put('a'))
            },
          }
          yield {
            run: async (run) => {
              end()
              await Promise.all(late)
              await run(put('c'))
            },
          }
        },
        { exclusive: true },
      ),
      /step that has ended/,
    )
    assert.deepEqual(await ids(), [])
  })

  test('gives up a write in which a nested step waits for what is outside of it', { timeout: 10_000 }, async () => {
    const impatient = await open({ effectTimeoutMs: 50 })
    const waiting = asynchronous(async (outer) => {
      await outer(
        asynchronous(async () => {
          await outer(put('a'))
        })(),
      )
    })
    await assert.rejects(impatient.write(waiting, { exclusive: true }), isUnavailable)
    await impatient.write(() => put('b'))
    assert.deepEqual(await ids(), ['b'])
  })

  test('gives up a write whose asynchronous step takes too long, and takes nothing more from it', {
    timeout: 10_000,
  }, async () => {
    const impatient = await open({ effectTimeoutMs: 50 })
    const { promise: late, resolve } = Promise.withResolvers<Promise<unknown>>()
    const slow = asynchronous(async (run) => {
      // On a busy machine it may take too long itself.
      await run(put('a')).catch(() => undefined)
      await wait(100)
      const written = run(put('b'))
      resolve(written)
      await written
    })
    // Listened to from the start: it may be refused while `c` is still being written.
    const refusal = assert.rejects(late, /has ended/)
    await assert.rejects(impatient.write(slow, { exclusive: true }), isUnavailable)
    await impatient.write(() => put('c'))
    await refusal
    assert.deepEqual(await ids(), ['c'])
  })

  test('runs exclusive writes one by one with the others', async () => {
    const add = command(`insert into number (value) values (${first})`)
    let most = 0
    let running = 0
    const alone = (value: number) =>
      function* (): Program<void> {
        running++
        yield bind(add, value)
        yield {
          run: async () => {
            most = Math.max(most, running)
            await wait(1)
          },
        }
        running--
      }
    const plain = (value: number) =>
      function* (): Program<number> {
        yield bind(add, value)
        return running
      }
    const writes = Array.from({ length: 20 }, (_, at) =>
      at % 3 === 0 ? things.store.write(alone(at), { exclusive: true }) : things.store.write(plain(at)),
    )
    await Promise.all(writes)
    assert.deepEqual(await rowsOf('select count(*) from number'), [[20]])
    if (engine === 'sqlite') assert.equal(most, 1)
  })
})
