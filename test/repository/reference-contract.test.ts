// The reference service keeps what it promises in reference/contract.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contractCommand } from '../../src/command/verb/contract.ts'
import { repository, startsNothing } from '../support/process/command.ts'

const update = 'To promise what is served now: npx duet contract snapshot --service reference/service.ts'

test('9.3.3 the reference service breaks none of its promises', async () => {
  const printed: string[] = []
  const code = await contractCommand(['check', '--service', 'reference/service.ts'], {
    folder: repository,
    variables: {},
    write: (text) => void printed.push(text),
    now: () => new Date(),
    note: () => {},
    ...startsNothing,
  })
  assert.equal(code, 0, `${printed.join('')}${update}`)
})
