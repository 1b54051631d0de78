// Adds the access code of a request to its actor. The code is not looked up; rules compare its hash. (contract 10.1.14)

import type { Actor, Requester } from '../resource/actor.ts'
import type { Model } from '../resource/model/model.ts'
import { codePrefixes } from '../resource/model/rule/access-code.ts'
import type { Credentials, Identify } from './identify.ts'
import { hashOpaqueToken, isOpaqueToken } from './opaque-token.ts'

/** Wraps `identify`. A malformed code is ignored. */
export function withAccessCodes(identify: Identify<Actor | null>, model: Pick<Model, 'resources'>): Identify {
  const prefixes = [...codePrefixes(model)]
  if (prefixes.length === 0) return identify
  return (headers, now, origin) => {
    const identification = identify(headers, now, origin)
    const text = codeIn(headers)
    if (!prefixes.some((prefix) => isOpaqueToken(prefix, text))) return identification
    const codeHash = hashOpaqueToken(text)
    return identification instanceof Promise
      ? identification.then((actor) => showing(actor, codeHash))
      : showing(identification, codeHash)
  }
}

const codeIn = ({ 'x-access-code': code }: Credentials): string => (typeof code === 'string' ? code : '')
const showing = (actor: Actor | null, codeHash: string): Exclude<Requester, null> => ({ ...actor, codeHash })
