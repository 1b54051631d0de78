// A process that has no file left, and so no connection either. (contract 8.5.5)

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { platform } from 'node:process'
import { test } from 'node:test'
import { createClient } from '../support/client/http-client.ts'
import { RawConnection } from '../support/client/raw-http.ts'
import { repository } from '../support/process/command.ts'
import { programArguments } from '../support/process/program.ts'
import { startProcess } from '../support/process/service-process.ts'

const get = 'GET /api/v2/users HTTP/1.1\r\nHost: localhost\r\n\r\n'

test('8.5.5 it reports that when it starts, closes connections that it cannot serve, and serves the others', {
  skip: platform === 'linux' ? false : 'Only Linux tells the limit.',
}, async () => {
  const service = startProcess(programArguments('reference/main.ts'), {
    folder: repository,
    environment: { DATABASE_URL: 'sqlite::memory:', DEMO_DATA: 'off' },
    openFiles: 64,
  })
  try {
    const url = await service.listening()
    const port = Number(new URL(url).port)
    assert.equal(service.printed().match(/may have 64 files open/g)?.length, 1)
    const connection = new RawConnection(port).send(get)
    assert.equal((await connection.answer()).status, 200)
    const crowd = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => {}))
    await Promise.race(crowd.map((each) => once(each, 'close')))
    connection.send(get)
    assert.equal((await connection.answer()).status, 200)
    for (const each of crowd) each.destroy()
    // It hears of that in one of its next turns.
    const client = createClient(url)
    while ((await client.send('GET /api/v2/users').catch(() => null))?.status !== 200);
    client.close()
    connection.destroy()
  } finally {
    assert.equal(await service.end('SIGTERM'), 0)
  }
})
