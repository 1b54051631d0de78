// Refuses at the start outside issuers whose tokens could never be verified. (contract 5.6.1)

import { ServiceDefinitionError } from '../../resource/contradiction/contradiction.ts'
import type { TrustedIssuer } from './outside-issuer.ts'

const algorithmsKnown: readonly unknown[] = ['ES256', 'RS256']

export function requireSoundIssuers(issuers: readonly TrustedIssuer[]): void {
  const problems = issuerContradictions(issuers)
  if (problems.length > 0) throw new ServiceDefinitionError(problems)
}

export function issuerContradictions(issuers: readonly TrustedIssuer[]): readonly string[] {
  return issuers.flatMap((each, index) => {
    const { issuer, jwksUrl, audience, algorithms, lifetimeSeconds } = each
    const where = `The issuer ${JSON.stringify(issuer ?? '')}`
    const problems = [
      ...(isText(issuer) ? [] : ['its issuer is empty; set it to the value of iss']),
      ...(issuers.findIndex((other) => other.issuer === issuer) === index ? [] : ['it is named twice; strike one']),
      ...(isWeb(jwksUrl) ? [] : ['its jwksUrl is no web address; set it to where it publishes its keys']),
      ...(isText(audience) ? [] : ['its audience is empty; set it to the value of aud']),
      ...(isAlgorithms(algorithms) ? [] : ['its algorithms are not some of ES256 and RS256; name those of its keys']),
      ...(Number.isSafeInteger(lifetimeSeconds) && lifetimeSeconds > 0
        ? []
        : ['its lifetimeSeconds is no whole number above 0; set how long its tokens last']),
    ]
    return problems.map((problem) => `${where}: ${problem}.`)
  })
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''
const isWeb = (value: unknown): boolean =>
  typeof value === 'string' && /^https?:$/.test(URL.canParse(value) ? new URL(value).protocol : '')
const isAlgorithms = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((each) => algorithmsKnown.includes(each))
