// Plants one fault after the other, and prints those that the kit does not find: `npm run faults`, or with words of their names.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repository } from '../support/process/command.ts'
import { runProcess } from '../support/process/run-process.ts'
import { withDemoService } from '../support/server/demo-service.ts'
import { faults } from './faults.ts'
import { startFaultyProxy } from './faulty-proxy.ts'

const command = join(repository, 'conformance/src/main.ts')
const profile = join(repository, 'conformance/profiles/reference.json')
const words = process.argv.slice(2).join(' ')
const chosen = faults.filter(({ name }) => name.includes(words))
const folder = await mkdtemp(join(tmpdir(), 'duet-faults-'))
const variables = {
  LOG_LEVEL: 'off',
  LIMIT_IP_PER_MINUTE: '0',
  LIMIT_USER_PER_HOUR: '0',
  LIMIT_LOGIN_PER_MINUTE: '0',
  DATABASE_URL: 'sqlite::memory:',
}
const missed: string[] = []
await withDemoService(variables, async (_, url) => {
  const proxy = await startFaultyProxy(url)
  for (const fault of chosen) {
    proxy.plant(fault)
    const args = [command, proxy.url, '--profile', profile, '--only', fault.breaks]
    const { code, printed } = await runProcess(process.execPath, args, folder)
    if (code === 1 && /^✖/m.test(printed)) continue
    missed.push(fault.name)
    console.log(`Not found: ${fault.name} (${fault.breaks})`)
  }
  await proxy.close()
})
await rm(folder, { recursive: true })
console.log(`${chosen.length - missed.length} of ${chosen.length} faults were found.`)
process.exitCode = missed.length > chosen.length * 0.05 ? 1 : 0
