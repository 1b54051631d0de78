// `duet admin`: gives an account the role that may do everything, creates it if needed, or helps its owner in again. Passwords are never read or
// printed; a user chooses one with a single-use token.

import { Failure } from '../../failure/failure.ts'
import { definitionOf } from '../../resource/language/definition.ts'
import type { Service } from '../../resource/language/service.ts'
import { readConfiguration } from '../../service/configuration/configuration.ts'
import { compileService } from '../../service/start/compile-service.ts'
import { type Appointed, appoint } from '../admin/appoint.ts'
import { removeSecondFactors, sendVerification } from '../admin/help-account.ts'
import { asCommandError, type Command, CommandError, readArguments } from '../service/command.ts'
import { loadService } from '../service/load-service.ts'
import { changeDatabase } from '../service/open-database.ts'

export const adminCommand: Command = async (args, environment) => {
  const { variables, folder, write, now } = environment
  const { values, positionals } = readArguments(
    args,
    ['service', 'role', 'set', 'link', 'send-verification', 'remove-second-factors'],
    ['The e-mail address'],
  )
  const definition = await loadService(values.service, folder)
  const model = compileService(definition)
  const login = positionals[0].toLowerCase()
  const help = [values['send-verification'] && sendMail, values['remove-second-factors'] && endFactors].find(Boolean)
  if (help) {
    if (Object.values(values).filter((value) => value !== values.service).length > 1)
      throw new CommandError('Pass this option alone.', { exitCode: 2 })
    const { limits } = readConfiguration(variables)
    write(await changeDatabase(environment, (store) => help(login, { model, store, limits, now: now() })))
    return 0
  }
  const role = values.role ?? mightiest(definition)
  if (!model.roles.has(role)) {
    throw new CommandError(`There is no role ${role}; there are ${[...model.roles.keys()].join(', ')}.`, {
      exitCode: 2,
    })
  }
  const { baseUrl, passwordResetUrl, limits } = readConfiguration(variables)
  const minutes = limits.passwordResetSeconds / 60
  return changeDatabase(environment, async (store) => {
    const fields = fieldsOf(values.set ?? [])
    const appointment = { login, role, fields, link: values.link ?? false }
    const appointed = await appoint(appointment, { model, store, limits, now: now() }).catch(asCommandError(Failure))
    write(reportText(appointed, positionals[0], role, { baseUrl, passwordResetUrl, minutes }))
    return 0
  })
}

type Help = (login: string, dependencies: Parameters<typeof sendVerification>[1]) => Promise<string>
const sendMail: Help = async (login, dependencies) => {
  await sendVerification(login, dependencies)
  return `The service mails ${login} a link that proves the address.\n`
}
const endFactors: Help = async (login, dependencies) => {
  const count = await removeSecondFactors(login, dependencies)
  if (count === 0) return `${login} has no second factor.\n`
  return `${login} has no second factor any more, and its sessions have ended. The service informs the owner by mail.\n`
}

function mightiest(definition: Service<unknown>): string {
  const { roles } = definitionOf(definition)
  const all = Object.keys(roles).filter((role) => roles[role] === 'everything')
  if (all.length === 1) return all[0]!
  throw new CommandError(
    `${all.length === 0 ? 'No role' : 'More than one role'} may do everything: pass --role <name>.`,
    {
      exitCode: 2,
    },
  )
}

function fieldsOf(set: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    set.map((each) => {
      const at = each.indexOf('=')
      if (at < 1) throw new CommandError(`Write --set field=value, not "${each}".`, { exitCode: 2 })
      return [each.slice(0, at), each.slice(at + 1)]
    }),
  )
}

interface Ways {
  readonly baseUrl: string | null
  readonly passwordResetUrl: string | null
  readonly minutes: number
}
function reportText(
  { did, token }: Appointed,
  login: string,
  role: string,
  { baseUrl, passwordResetUrl, minutes }: Ways,
): string {
  const sentences = {
    nothing: `${login} has the role ${role} already.`,
    made: `${login} has an account now, with the role ${role}.`,
    changed: `${login} has the role ${role} now. Its sessions have ended; sign in again.`,
  }
  if (token === null) return `${sentences[did]}\n`
  const address = `${baseUrl?.replace(/\/+$/, '') ?? 'the service, at '}/auth/reset-password`
  const way =
    passwordResetUrl === null
      ? `POST this to ${address}, with a password: { "token": "${token}", "password": "…" }`
      : `open ${passwordResetUrl.replaceAll('{token}', token)}`
  return `${sentences[did]}\nTo choose a password within ${minutes} minutes, once, ${way}\n`
}
