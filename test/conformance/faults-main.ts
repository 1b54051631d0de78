// Plants one fault after the other, and prints those that the kit does not find: `npm run faults`, or with words of their names.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { repository } from '../support/process/command.ts'
import { copyExample } from '../support/process/example.ts'
import { runProcess } from '../support/process/run-process.ts'
import { type ServiceProcess, startProcess } from '../support/process/service-process.ts'
import { withDemoService } from '../support/server/demo-service.ts'
import { faults } from './faults/index.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { mutants } from './mutants/index.ts'
import type { Mutant } from './mutants/mutant.ts'

const command = join(repository, 'conformance/src/main.ts')
const profiles = join(repository, 'conformance/profiles')
const gallery = join(repository, 'test/conformance/gallery')
const words = process.argv.slice(2).join(' ')
const isChosen = ({ name }: { readonly name: string }) => name.includes(words)
const folder = await mkdtemp(join(tmpdir(), 'duet-faults-'))
const variables = {
  LOG_LEVEL: 'off',
  LIMIT_IP_PER_MINUTE: '0',
  LIMIT_USER_PER_HOUR: '0',
  LIMIT_LOGIN_PER_MINUTE: '0',
  DATABASE_URL: 'sqlite::memory:',
}
/** Clauses about rate limits need some. */
const isLimit = ({ breaks }: Pick<Mutant, 'breaks'>) => breaks.startsWith('8.3.')
let count = 0
const missed: string[] = []

/** Whether the kit reports a broken clause of those that the fault is about. */
async function note({ name, breaks }: Pick<Mutant, 'name' | 'breaks'>, url: string, profile: string): Promise<void> {
  count++
  const limits = isLimit({ breaks }) ? ['--limits'] : []
  const args = [command, url, '--profile', profile, '--only', breaks, '--leave', ...limits]
  const { code, printed } = await runProcess(process.execPath, args, folder)
  if (code === 1 && /^✖/m.test(printed)) return
  missed.push(name)
  console.log(`Not found: ${name} (${breaks})`)
}

async function noteFaults(): Promise<void> {
  await withDemoService(variables, async (_, url) => {
    const proxy = await startFaultyProxy(url)
    for (const fault of faults.filter(isChosen)) {
      proxy.plant(fault)
      await note(fault, proxy.url, join(profiles, 'reference.json'))
    }
    await proxy.close()
  })
}

/** Starts the service of a mutant, which has its fault from the beginning. */
function startMutant({ service, file, from, to, breaks }: Mutant, example: string): ServiceProcess {
  const main =
    service === 'reference'
      ? join(repository, 'reference/main.ts')
      : join(service === 'gallery' ? gallery : example, 'main.ts')
  const plant = join(repository, 'test/conformance/plant.ts')
  const environment = {
    ...variables,
    ...(isLimit({ breaks }) ? { LIMIT_IP_PER_MINUTE: '30' } : {}),
    MUTANT: JSON.stringify({ file, from, to }),
    ...(service === 'gallery' ? { REFRESH_TOKEN_IN: 'cookie', DATA_KEY: Buffer.alloc(32, 7).toString('base64') } : {}),
  }
  return startProcess(['--import', plant, '--conditions=duet-source', main], { folder, environment })
}

async function noteMutant(mutant: Mutant): Promise<void> {
  const { name, service } = mutant
  const isExample = service !== 'reference' && service !== 'gallery'
  const example = isExample ? copyExample(service) : ''
  const running = startMutant(mutant, example)
  try {
    const profile = service === 'gallery' ? join(gallery, 'profile.json') : join(profiles, `${service}.json`)
    await note(mutant, await running.listening(), profile)
  } catch (error) {
    missed.push(name)
    console.log(`Does not start: ${name}\n${(error as Error).message.slice(0, 500)}`)
  } finally {
    await running.end('SIGKILL')
    if (isExample) await rm(example, { recursive: true })
  }
}

await noteFaults()
for (const mutant of mutants.filter(isChosen)) await noteMutant(mutant)
await rm(folder, { recursive: true })
console.log(`${count - missed.length} of ${count} faults were found.`)
process.exitCode = missed.length > count * 0.05 ? 1 : 0
