// Versions and documents. (9.1, 9.2, 9.4, 4.15)

import type { Define } from '../../kit/clause.ts'
import { camel } from '../../kit/kit.ts'
import { missingId } from '../../kit/values.ts'

interface Operation {
  readonly operationId: string
}

export function defineVersions(define: Define): void {
  define('9.1.1', ['deprecated'], async ({ kit, subject }) => {
    const { path } = subject.profile
    for (const version of kit.profile.versions.deprecated!)
      for (const target of [path, `${path}/${missingId(subject)}`]) {
        const answer = await kit.send(`GET /api/${version}/${target}`, { as: subject.creator })
        answer.is(200, 404).matches('Deprecation', answer.headers.deprecation, /^@\d+$/)
        answer.matches('Sunset', answer.headers.sunset, /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/)
        const successor = `</api/${kit.version}/${target}>; rel="successor-version"`
        answer.require((answer.headers.link ?? '').includes(successor), successor, answer.headers.link ?? 'no Link')
      }
    const current = await kit.send(`GET ${subject.path}`, { as: subject.creator })
    current.has('Deprecation', current.headers.deprecation, undefined)
  })

  define('4.15.1', ['resource'], async ({ kit, subject }) => {
    for (const version of [kit.version, ...(kit.profile.versions.deprecated ?? [])]) {
      const answer = (await kit.send(`GET /api/${version}/openapi.json`)).is(200)
      answer.matches('openapi', answer.json.openapi, /^3\.1\.\d+$/).has('servers', answer.json.servers?.length, 1)
      const path = answer.json.paths[`/api/${version}/${subject.profile.path}`]
      answer.require(
        path?.get !== undefined && path.post !== undefined,
        `GET and POST of ${subject.profile.path}`,
        'none',
      )
      const silent = Object.entries(answer.json.paths).flatMap(([target, operations]) =>
        Object.entries(operations as Record<string, { description?: string; summary?: string }>)
          .filter(([method]) => ['get', 'post', 'put', 'patch', 'delete'].includes(method))
          .filter(([, each]) => !each.description && !each.summary)
          .map(([method]) => `${method} ${target}`),
      )
      answer.has('operations without a description', silent, [])
    }
  })

  define('4.15.4', ['resource'], async ({ kit, subject }) => {
    const answer = (await kit.send(`GET /api/${kit.version}/openapi.json`)).is(200)
    const { schemas } = answer.json.components
    answer.require(
      schemas[subject.profile.type] !== undefined,
      `a schema ${subject.profile.type}`,
      Object.keys(schemas).join(),
    )
    const list = answer.json.paths[subject.path].get.responses['200'].content['application/json'].schema
    answer.require(JSON.stringify(list).includes('$ref'), 'a reference to the schema of a page', JSON.stringify(list))
  })

  define('4.15.9', ['resource'], async ({ kit }) => {
    const answer = (await kit.send('GET /.well-known/api-catalog')).is(200)
    answer.matches('Content-Type', answer.headers['content-type'], /^application\/linkset\+json\b/)
    answer.matches('Link', answer.headers.link, /rel="api-catalog"/)
    const anchors = answer.json.linkset.map(
      ({ anchor }: { anchor: string }) => new URL(anchor, kit.profile.url).pathname,
    )
    for (const version of [kit.version, ...(kit.profile.versions.deprecated ?? [])])
      answer.require(anchors.includes(`/api/${version}`), `an anchor /api/${version}`, anchors.join(', '))
  })

  define('4.15.10', ['resource'], async ({ kit }) => {
    const answer = (await kit.send('GET /.well-known/api-contract')).is(200)
    answer.has('edition', answer.json.edition, kit.profile.edition)
    answer.require(answer.json.versions.includes(kit.version), `the version ${kit.version}`, answer.text)
  })

  define('4.15.11', ['resource'], async ({ kit }) => {
    for (const version of [kit.version, ...(kit.profile.versions.deprecated ?? [])]) {
      const { paths } = (await kit.send(`GET /api/${version}/openapi.json`)).is(200).json
      const operations = Object.values(paths).flatMap((each) => Object.values(each as Record<string, Operation>))
      const operationIds = new Set(operations.map(({ operationId }) => operationId))
      const answer = (await kit.send(`GET /api/${version}/workflows.json`)).is(200)
      answer.has('arazzo', answer.json.arazzo, '1.0.1')
      const steps: readonly Operation[] = answer.json.workflows.flatMap((each: { steps: Operation[] }) => each.steps)
      answer.require(steps.length > 0, 'a step', 'none')
      const unknown = steps.map(({ operationId }) => operationId).filter((each) => !operationIds.has(each))
      answer.has('steps that name no operation of the OpenAPI document', unknown, [])
    }
  })

  define('9.2.2', ['formerly', 'deprecated', 'graphql'], async ({ kit, subject }) => {
    const { name, now } = subject.profile.formerly!
    const { id, record } = await subject.make()
    const [older] = kit.profile.versions.deprecated!
    const old = (await kit.send(`GET /api/${older}/${subject.profile.path}/${id}`, { as: subject.creator })).is(200)
    old.has(name, old.data[name], record[now]).has(now, old.data[now], undefined)
    const fresh = (await kit.send(`GET ${subject.path}/${id}`, { as: subject.creator })).is(200)
    fresh.has(now, fresh.data[now], record[now]).has(name, fresh.data[name], undefined)
    const query = `{ x: ${subject.one}(id: "${id}") { a: ${camel(name)} b: ${camel(now)} } }`
    const graphql = (await kit.graphql(query, undefined, { as: subject.creator })).succeeds()
    graphql.has('both names', graphql.data.x, { a: record[now], b: record[now] })
  })

  define('9.2.3', ['formerly', 'graphql', 'change'], async ({ kit, subject }) => {
    const { name, now } = subject.profile.formerly!
    const { id } = await subject.make()
    const value = `${kit.run} ${kit.unique()}`
    const { type } = subject.profile
    const query = `mutation ($input: Update${type}Input!) { x: update${type}(id: "${id}", input: $input) { ${camel(now)} } }`
    const input = { [camel(name)]: value }
    const answer = (await kit.graphql(query, { input }, { as: subject.creator })).succeeds()
    answer.has(now, answer.data.x[camel(now)], value)
  })

  define('9.2.4', ['formerly', 'graphql', 'change'], async ({ kit, subject }) => {
    const { name, now } = subject.profile.formerly!
    const { id } = await subject.make()
    const { type } = subject.profile
    const query = `mutation ($input: Update${type}Input!) { x: update${type}(id: "${id}", input: $input) { id } }`
    const input = { [camel(name)]: 'a', [camel(now)]: 'b' }
    ;(await kit.graphql(query, { input }, { as: subject.creator })).hasError('VALIDATION_ERROR')
  })

  define('9.4.2', ['deprecationUsage', 'deprecated', 'other'], async ({ kit, subject }) => {
    const { path, as } = kit.profile.deprecationUsage!
    const [older] = kit.profile.versions.deprecated!
    ;(await kit.send(`GET /api/${older}/${subject.profile.path}`, { as: subject.creator })).is(200)
    const target = `/api/${kit.version}/${path}`
    const answer = (await kit.send(`GET ${target}?limit=1`, { as })).is(200)
    for (const each of answer.data)
      for (const name of ['what', 'principal', 'client', 'day', 'count', 'removable_from'])
        answer.require(Object.hasOwn(each, name), name, Object.keys(each).join(', '))
    for (const other of [subject.profile.other!, null]) {
      const refused = (await kit.send(`GET ${target}`, { as: other })).is(200, 401, 403)
      if (refused.status === 200) refused.has('data', refused.data, [])
    }
  })
}
