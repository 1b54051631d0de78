// `duet keys`: lists, rotates and removes signing keys (contract 5.2); re-encrypts secrets.

import { type KeyRing, openKeyRing } from '../../authentication/key/key-ring.ts'
import { createKeyStorage } from '../../authentication/key/key-storage.ts'
import { UnusableKey } from '../../authentication/key/signing-key.ts'
import { readConfiguration } from '../../service/configuration/configuration.ts'
import { rewriteSecrets } from '../../service/start/rewrite-secrets.ts'
import type { Store } from '../../store/store.ts'
import {
  asCommandError,
  type Command,
  type CommandEnvironment,
  CommandError,
  readArguments,
} from '../service/command.ts'
import { changeDatabase } from '../service/open-database.ts'
import { loadServed } from '../service/served.ts'

type Verb = (ring: KeyRing, kid: string, now: Date) => Promise<string>

const verbs: Readonly<Record<string, Verb>> = {
  list: async (ring, _, now) => listKeys(ring, now),
  async rotate(ring, _, now) {
    const kid = await ring.rotate(now)
    const since = ring.signsFrom(kid, now)
    return `${kid} is published, and signs from ${since!.toISOString()}. Tokens of other keys stay valid until they expire.\n`
  },
  async remove(ring, kid, now) {
    if (ring.verifyingKey(kid, now) === null) throw new CommandError(`There is no key ${kid}.`)
    await ring.remove(kid, now)
    return `${kid} is withdrawn: whatever it signed is refused by every instance within a second.\n`
  },
}

export const keysCommand: Command = async (args, environment) => {
  const [verb = 'list', ...rest] = args
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  if (verb === 'reencrypt') return reencrypt(rest, environment)
  if (run === undefined)
    throw new CommandError(`Use list, rotate, remove or reencrypt, not "${verb}".`, { exitCode: 2 })
  const { positionals } = readArguments(rest, [], verb === 'remove' ? ['The kid'] : [])
  const { write, now } = environment
  const { jwtAlgorithm, limits } = readConfiguration(environment.variables)
  if (jwtAlgorithm === 'HS256') throw new CommandError('HS256 has one secret: to change it, change JWT_SECRET.')
  return changeDatabase(environment, async (store) => {
    const ring = await openKeyRing({ algorithm: jwtAlgorithm, storage: createKeyStorage(store), limits }, now())
    write(await run(ring, positionals[0] ?? '', now()))
    return 0
  }).catch(asCommandError(UnusableKey))
}

async function reencrypt(args: readonly string[], environment: CommandEnvironment): Promise<number> {
  const { values } = readArguments(args, ['service'])
  const { model, configuration } = await loadServed(values.service, environment.folder, environment.variables)
  const { dataKeys } = configuration
  if (dataKeys === null)
    throw new CommandError('DATA_KEY is not set: set it to the new key, a comma and the former key.')
  const rewrite = (store: Store) => rewriteSecrets(store, model, dataKeys).catch(asCommandError(Error))
  const count = await changeDatabase(environment, rewrite)
  const what = `${count} ${count === 1 ? 'value is' : 'values are'} encrypted with the first key of DATA_KEY now`
  environment.write(`${what}, and all others were.\n`)
  return 0
}

function listKeys(ring: KeyRing, now: Date): string {
  const signing = ring.signingKey(now).kid
  return ring
    .keySet(now)
    .keys.map(({ kid }) => {
      const since = ring.signsFrom(kid, now)
      const does = kid === signing ? 'signs' : since === null ? 'verifies' : `signs from ${since.toISOString()}`
      return `${kid}  ${does}\n`
    })
    .join('')
}
