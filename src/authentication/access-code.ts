// Puts the access code that a request shows beside its actor. It is looked up nowhere: rules compare its hash. (contract 10.1.14)

import type { Actor, Requester } from '../resource/actor.ts'
import { codePrefixes } from '../resource/model/access-code.ts'
import type { Model } from '../resource/model/model.ts'
import type { Credentials, Identify } from './identify.ts'
import { hashOpaqueToken, isOpaqueToken } from './opaque-token.ts'

/** The same, and what the headers show beside the credential; what has not the form of a code is none. */
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
