// What `duet --help` and the reference say of options is what the commands read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runCommand } from '../../test/support/process/command.ts'
import { type OptionName, optionTable } from './service/options.ts'
import { optionsIn, verbs } from './verbs.ts'

const all = Object.keys(optionTable) as OptionName[]
/** An option that no command knows comes last: whichever is complained of first was not read. */
const unknown = '--no-such-option'

for (const [name, verb] of Object.entries(verbs)) {
  test(`duet ${name} reads the options that it says it takes, and no others`, async () => {
    const command = await verb.load()
    const words = /^(?:\[?[a-z]+ \| )/.test(verb.takes)
      ? Array.from(verb.takes.split(/[ [\]]*--/)[0]!.matchAll(/\b[a-z]+\b(?!>)/g), ([word]) => word)
      : ['']
    const read = new Set<OptionName>()
    for (const word of words) {
      for (const option of all) {
        const line = optionTable[option].type === 'string' ? `--${option}=x` : `--${option}`
        const { message } = await runCommand(command, [...(word === '' ? [] : [word]), line, unknown]).then(
          () => assert.fail(`duet ${name} takes ${unknown}`),
          (error: Error) => error,
        )
        assert.match(message, /^Unknown option '--/)
        if (message.includes(unknown)) read.add(option)
      }
    }
    assert.deepEqual([...read].toSorted(), optionsIn(verb).toSorted())
  })
}
