// `duet reactions`: lists waiting tasks and dead letters, and retries or discards dead letters.

import {
  createReactionAdmin,
  type DeadLetter,
  type DeadLetterChoice,
  type ReactionAdmin,
  type ReactionState,
} from '../../reaction/reaction-admin.ts'
import { dialectOf } from '../../store/sql/text/dialect.ts'
import type { Store } from '../../store/store.ts'
import { type Command, CommandError, readArguments } from '../service/command.ts'
import { changeDatabase } from '../service/open-database.ts'

const deadMax = 100

interface VerbContext {
  readonly store: Store
  readonly admin: ReactionAdmin
  readonly choice: DeadLetterChoice
  readonly now: Date
}
const verbs: Readonly<Record<string, (context: VerbContext) => Promise<string>>> = {
  async list({ store, admin, choice: { reaction } }) {
    const states = (await store.read(admin.states())).filter(({ name }) => reaction === null || name === reaction)
    return listReactions(states, await store.read(admin.deadLetters(reaction, deadMax)))
  },
  async replay({ store, admin, choice, now }) {
    const count = await store.write(() => admin.replay(choice, now))
    return `${some(count, choice)} tried again within a second of any running instance.\n`
  },
  async discard({ store, admin, choice }) {
    const count = await store.write(() => admin.discard(choice))
    return `${some(count, choice)} discarded.\n`
  },
  async forget({ store, admin, choice: { reaction } }) {
    if (reaction === null) throw new CommandError('Name one: --reaction <name>.', { exitCode: 2 })
    const states = await store.read(admin.states())
    if (!states.some(({ name }) => name === reaction)) throw new CommandError(`There is no reaction ${reaction}.`)
    const count = await store.write(() => admin.forget(reaction))
    return `${reaction} is forgotten, with ${count} that it had left to do.\n`
  },
}

export const reactionsCommand: Command = async (args, environment) => {
  const [verb = 'list', ...rest] = args
  const run = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined
  if (run === undefined) {
    throw new CommandError(`Use list, replay, discard or forget, not "${verb}".`, { exitCode: 2 })
  }
  const chooses = verb === 'replay' || verb === 'discard'
  const [first] = rest
  const isOne = chooses && first !== undefined && !first.startsWith('-')
  const { values, positionals } = readArguments(rest, ['reaction', 'all'], isOne ? ['The number'] : [])
  if (chooses && isOne === (values.all ?? false)) {
    throw new CommandError(`Name one: the number that duet reactions list shows, or --all.`, { exitCode: 2 })
  }
  const { write, now } = environment
  const choice = { number: positionals[0] ?? null, reaction: values.reaction ?? null }
  return changeDatabase(environment, async (store) => {
    write(await run({ store, admin: createReactionAdmin(dialectOf(store.engine)), choice, now: now() }))
    return 0
  })
}

function some(count: number, { number }: DeadLetterChoice): string {
  if (count === 0 && number !== null) throw new CommandError(`No dead letter has the number ${number}.`)
  return `${count} ${count === 1 ? 'is' : 'are'}`
}

/** A line per reaction, timed move and schedule. */
export function stateTable(states: readonly ReactionState[]): string {
  const width = Math.max(...states.map(({ name }) => name.length), 'reaction'.length)
  const row = (...cells: readonly unknown[]) => {
    const [name, ...counts] = cells.map(String)
    return `${name!.padEnd(width)}${counts.map((each) => each.padStart(14 + (each.includes('T') ? 4 : 0))).join('')}\n`
  }
  const table = states.map(({ name, waiting, running, deadLetters, doneAt }) =>
    doneAt === null
      ? row(name, waiting, running, deadLetters)
      : row(name, waiting, running, deadLetters, doneAt.toISOString().slice(0, 16)),
  )
  const last = states.some(({ doneAt }) => doneAt !== null) ? ['  last success'] : []
  return [row('reaction', 'waiting', 'running', 'dead letters', ...last), ...table].join('')
}

function listReactions(states: readonly ReactionState[], dead: readonly DeadLetter[]): string {
  if (states.length === 0) return 'There are no reactions.\n'
  const letters = dead.map(({ number, reaction, recordId, at, attempts, error }) =>
    attempts === 0
      ? `${number}  ${reaction} ${recordId}  of ${at.toISOString()}\n    refused: ${error}\n`
      : `${number}  ${reaction} ${recordId}  of ${at.toISOString()}, tried ${attempts} times\n    ${error}\n`,
  )
  const total = states.reduce((sum, { deadLetters, refused }) => sum + deadLetters + refused, 0)
  const more = total > dead.length ? [`and ${total - dead.length} more\n`] : []
  return [stateTable(states), ...(letters.length === 0 ? [] : ['\n']), ...letters, ...more].join('')
}
