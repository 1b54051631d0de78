// Adds the access codes of a request to its actor. They are not looked up; rules compare their hashes. (contract 10.1.14)

import { Failure } from '../failure/failure.ts'
import { accessCodesMax } from '../limits.ts'
import type { Actor, Guest, Requester } from '../resource/actor.ts'
import type { Model } from '../resource/model/model.ts'
import { codePrefixes } from '../resource/model/rule/access-code.ts'
import type { Credentials, Identify } from './identify.ts'
import { hashOpaqueToken, isOpaqueToken } from './opaque-token.ts'

/** Wraps `identify`, which fails as `codesIn` then. */
export function withAccessCodes(identify: Identify<Actor | null>, model: Pick<Model, 'resources'>): Identify {
  if (codePrefixes(model).size === 0) return identify
  return (headers, now, origin) => {
    const codes = codesIn(headers, model)
    const identification = identify(headers, now, origin)
    if (codes === null) return identification
    return identification instanceof Promise
      ? identification.then((actor) => showing(actor, codes))
      : showing(identification, codes)
  }
}

/**
 * Null without a code. Malformed ones are ignored. Fails with VALIDATION_ERROR for more than ten, or for an empty one among several.
 * (contract 10.1.20, 10.1.25)
 */
export function codesIn({ 'x-access-code': text = '' }: Credentials, model: Pick<Model, 'resources'>): Guest | null {
  const codes = String(text)
    .split(',')
    .map((each) => each.trim())
  if (codes.length > accessCodesMax) throw refused(`There are at most ${accessCodesMax} access codes in a request.`)
  if (codes.length > 1 && codes.includes('')) throw refused('One of the access codes is empty.')
  const prefixes = [...codePrefixes(model)]
  const isCode = (each: string) => prefixes.some((prefix) => isOpaqueToken(prefix, each))
  const hashes = [...new Set(codes.filter(isCode).map(hashOpaqueToken))]
  if (hashes.length === 0) return null
  const codeHash = hashes.toSorted().join()
  return hashes.length === 1 ? { codeHash } : { codeHash, codeOrder: hashes }
}

const refused = (message: string): Failure => new Failure('VALIDATION_ERROR', { message })
const showing = (actor: Actor | null, codes: Guest): Exclude<Requester, null> => ({ ...actor, ...codes })
