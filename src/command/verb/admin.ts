// `duet admin`: gives an account the role that may do everything, and creates the account if needed. Passwords are never read or
// printed; a user chooses one with a single-use token.

import { Failure } from '../../failure/failure.ts'
import { definitionOf } from '../../resource/language/definition.ts'
import type { Service } from '../../resource/language/service.ts'
import { readConfiguration } from '../../service/configuration/configuration.ts'
import { compileService } from '../../service/start/compile-service.ts'
import { type Appointed, appoint } from '../admin/appoint.ts'
import { type Command, CommandError, readArguments } from '../service/command.ts'
import { loadService } from '../service/load-service.ts'
import { openForWriting } from '../service/open-database.ts'
import { optionsOf } from '../service/options.ts'

export const adminCommand: Command = async (args, environment) => {
  const { variables, folder, write, now } = environment
  const options = optionsOf('service', 'role', 'set', 'link')
  const { values, positionals } = readArguments(args, { options, names: ['The e-mail address'] })
  const definition = await loadService(values.service, folder)
  const model = compileService(definition)
  const role = values.role ?? mightiest(definition)
  if (!model.roles.has(role)) {
    throw new CommandError(`There is no role ${role}; there are ${[...model.roles.keys()].join(', ')}.`, {
      exitCode: 2,
    })
  }
  const { baseUrl, passwordResetUrl, limits } = readConfiguration(variables)
  const store = await openForWriting(environment)
  try {
    const fields = fieldsOf(values.set ?? [])
    const appointment = { login: positionals[0].toLowerCase(), role, fields, link: values.link ?? false }
    const appointed = await appoint(appointment, { model, store, limits, now: now() })
    write(
      reportText(appointed, positionals[0], role, {
        baseUrl,
        passwordResetUrl,
        minutes: limits.passwordResetSeconds / 60,
      }),
    )
    return 0
  } catch (cause) {
    if (cause instanceof Failure) throw new CommandError(cause.message, { cause })
    throw cause
  } finally {
    await store.close()
  }
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
