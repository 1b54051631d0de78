// What two widespread linters are asked about the OpenAPI documents, and what they are not asked, with the reason.

import { createConfig, lintFromString } from '@redocly/openapi-core'
import spectral from '@stoplight/spectral-core'
import owasp from '@stoplight/spectral-owasp-ruleset'
import { oas } from '@stoplight/spectral-rulesets'

/** Rules that are off. Everything else that the linters know is on, warnings and hints included. */
export const exceptions: Readonly<Record<string, string>> = {
  'oas3-operation-security-defined':
    'It demands that the scopes of an API key are listed where only OAuth has a place for them. OpenAPI 3.1 allows the ' +
    'names beside any scheme.',
  'openapi-tags-alphabetical': 'Tags stand in the order in which the service lists its resources.',
  'owasp:api4:2023-string-restricted':
    'Titles, contents and messages are free text: they have a length, which is another rule of the same set, and no pattern.',
  'info-contact': 'Who answers for a service is for its author to say, and may be nobody.',
  'license-url': 'A licence is named by its SPDX identifier, beside which OpenAPI 3.1 allows no URL.',
}

/** Rules that are off for the paths named here. */
const exceptedPaths: Readonly<Record<string, { readonly paths: RegExp; readonly reason: string }>> = {
  'owasp:api8:2023-define-error-responses-401': {
    paths: /^paths\/\/(health|\.well-known)/,
    reason: 'Health and the key set look at no credential, so there is none to refuse.',
  },
}

/** What Redocly, at its strictest, has against a document; nothing when empty. */
export async function redoclyProblems(document: object): Promise<readonly string[]> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: '/openapi.json', config })
  return problems.map(({ ruleId, message, location }) => `${ruleId} at ${location[0]?.pointer}: ${message}`)
}

/** What Spectral, with its own rules and those of OWASP, has against a document; nothing when empty. */
export async function spectralProblems(
  document: object,
  off: readonly string[] = Object.keys(exceptions),
): Promise<readonly string[]> {
  const linter = new spectral.Spectral()
  const sets = [
    [oas, 'all'],
    [owasp, 'all'],
  ]
  const rules = Object.fromEntries(off.map((name) => [name, 'off']))
  linter.setRuleset({ extends: sets, rules } as Parameters<typeof linter.setRuleset>[0])
  const problems = await linter.run(structuredClone(document) as Record<string, unknown>)
  return problems
    .filter(({ code, path }) => exceptedPaths[code]?.paths.test(path.join('/')) !== true)
    .map(({ code, message, path }) => `${code} at ${path.join('/')}: ${message}`)
}
