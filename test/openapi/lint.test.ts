// Other people's linters read the OpenAPI documents of both versions. (contract 4.15.1)

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { api } from '../../reference/service.ts'
import { definitionsOf } from '../../src/custom-route/definition.ts'
import { defaultLimits } from '../../src/limits.ts'
import { makeDocument } from '../../src/openapi/document.ts'
import { authorAddresses } from '../../src/rest/custom-route/address.ts'
import { compileRoutes } from '../../src/rest/route/routes.ts'
import { describeEndpoints } from '../../src/service/pipeline/endpoints.ts'
import { compileService } from '../../src/service/start/compile-service.ts'
import { reportRoutes } from '../support/domain/custom-routes.ts'
import { mediaRoutes, rawRoutes } from '../support/domain/raw-routes.ts'
import { exceptions, redoclyProblems, spectralProblems } from '../support/oracle/openapi-rules.ts'

interface Document {
  readonly info: object
  readonly paths: Readonly<Record<string, object>>
  readonly components: object
}

const model = compileService(api)
const routes = compileRoutes(model)
const info = { title: 'Reference service', license: { name: 'MIT', identifier: 'MIT' } }
const authored = authorAddresses(definitionsOf([...reportRoutes, ...rawRoutes, ...mediaRoutes]), routes.versions)
const documents = routes.versions.map((version) => {
  // Each of the two ways in which a refresh token travels is in one of them.
  const endpoints = describeEndpoints(model, { refreshTokenIn: version.isDeprecated ? 'cookie' : 'body' })
  const given = { limits: defaultLimits, cursorForm: 'envelope', info, endpoints, authored } as const
  const document = makeDocument(version, routes, model, given) as Document
  // Spectral takes long: of the older version it reads what is made in a way of its own, and one resource.
  const sample = version.isDeprecated ? withPaths(document, /^\/(auth|api\/v1\/posts)/) : document
  return { name: version.name, document, sample }
})

for (const { name, document, sample } of documents) {
  const off = [...Object.keys(exceptions), ...(sample === document ? [] : ['oas3-unused-component'])]
  test(`Redocly has nothing against ${name}`, async () => assert.deepEqual(await redoclyProblems(document), []))
  test(`Spectral and OWASP have nothing against ${name}`, async () =>
    assert.deepEqual(await spectralProblems(sample, off), []))
}

describe('a document that is not as it should be', () => {
  const { document } = documents[0]!
  const small = withPaths(document, /^\/api\/v1\/products/)
  const broken = {
    ...small,
    paths: { ...small.paths, '/things/': { get: { responses: { 200: { description: 'A thing.' } } } } },
  }
  test('is found by Redocly', async () => {
    const problems = await redoclyProblems(broken)
    assert.ok(problems.some((each) => each.startsWith('security-defined at #/paths/~1things~1/get')))
  })
  test('is found by Spectral and by the rules of OWASP', async () => {
    const problems = await spectralProblems(broken)
    for (const rule of ['path-keys-no-trailing-slash', 'owasp:api4:2023-rate-limit']) {
      assert.ok(
        problems.some((each) => each.startsWith(rule)),
        rule,
      )
    }
  })
  test('every exception is still needed', async () => {
    const problems = await spectralProblems(small, [])
    const unneeded = Object.keys(exceptions).filter((rule) => !problems.some((each) => each.startsWith(`${rule} `)))
    assert.deepEqual(unneeded, [])
  })
})

function withPaths(document: Document, pattern: RegExp): Document {
  const paths = Object.entries(document.paths).filter(([path]) => pattern.test(path))
  return { ...document, paths: Object.fromEntries(paths) }
}
