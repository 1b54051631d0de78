// Tenants: what is inside one exists for its members alone. (10.2)

import type { Define, Scene } from '../../kit/clause.ts'
import type { Made, Subject } from '../../kit/kit.ts'
import { joinTenant, withTenantKey } from '../../kit/tenant.ts'

/** The records inside tenants. */
const inside = ({ kit, subject }: Scene): Subject => kit.subject(subject.profile.tenant!.records)

/** A tenant of this test, and a record inside it. */
async function tenantWithRecord(scene: Scene): Promise<{ readonly tenant: Made; readonly record: Made }> {
  const tenant = await scene.subject.make()
  const record = await inside(scene).make({ [scene.subject.profile.tenant!.field]: tenant.id })
  return { tenant, record }
}

export function defineTenants(define: Define): void {
  defineInside(define)
  defineMembers(define)
  defineKeysOfTenants(define)
}

function defineInside(define: Define): void {
  define('10.2.1', ['tenant', 'other', 'graphql'], async (scene) => {
    const { kit, subject } = scene
    const { tenant, record } = await tenantWithRecord(scene)
    const records = inside(scene)
    for (const as of [subject.profile.other!, null]) {
      for (const target of [tenant.target, record.target]) (await kit.send(`GET ${target}`, { as })).isHidden()
      const list = await kit.send(`GET ${records.path}?limit=100`, { as })
      list.require(!list.text.includes(record.id), 'a list without the record', record.id)
      const query = `{ x: ${records.one}(id: "${record.id}") { id } y: ${subject.one}(id: "${tenant.id}") { id } }`
      const graphql = await kit.graphql(query, undefined, { as })
      graphql.has('data', graphql.data, { x: null, y: null })
    }
    ;(await kit.send(`GET ${record.target}`, { as: records.creator })).is(200)
  })

  define('10.2.2', ['tenant'], async (scene) => {
    const { kit, subject } = scene
    const { tenant, record } = await tenantWithRecord(scene)
    const { field } = subject.profile.tenant!
    const { path, creator: as } = inside(scene)
    record.answer.has(field, record.record[field], tenant.id)
    const list = (await kit.send(`GET ${path}?${field}=${tenant.id}`, { as })).is(200)
    list.has('records', list.data.length, 1).has('id', list.data[0].id, record.id)
    const other = await subject.make()
    ;(await kit.send(`PATCH ${record.target}`, { as, body: { [field]: other.id } })).fails(400).names(field)
  })

  define('10.2.4', ['tenant', 'other'], async (scene) => {
    const { kit, subject } = scene
    const { field } = subject.profile.tenant!
    const records = inside(scene)
    const body = { ...(await records.input()), [field]: (await subject.make()).id }
    const answer = await kit.send(`POST ${records.path}`, { as: subject.profile.other!, body })
    answer.fails(422).names(field)
  })

  define('10.2.16', ['tenant', 'other'], async (scene) => {
    const { kit, subject } = scene
    const { tenant, record } = await tenantWithRecord(scene)
    const { path, creator } = inside(scene)
    const list = `GET ${path}?${subject.profile.tenant!.field}=${tenant.id}`
    const mine = (await kit.send(list, { as: creator })).is(200)
    mine.has('total', mine.json.meta.total, 1).has('id', mine.data[0].id, record.id)
    const others = (await kit.send(list, { as: subject.profile.other! })).is(200)
    others.has('total', others.json.meta.total, 0)
  })

  define('10.2.18', ['tenant'], async (scene) => {
    const { kit, subject } = scene
    const { record, tenant } = await tenantWithRecord(scene)
    const { field } = subject.profile.tenant!
    const { path, creator: as } = inside(scene)
    const answer = (await kit.send(`GET ${record.target}?fields=id,${field}`, { as })).is(200)
    answer.has(field, answer.data[field], tenant.id)
    const list = (await kit.send(`GET ${path}?${field}=${tenant.id}&fields=${field}`, { as })).is(200)
    list.has('data', list.data, [{ [field]: tenant.id }])
  })

  define('10.2.6', ['links', 'within'], async ({ kit, subject }) => {
    const { field, resource } = subject.profile.links!
    const tenant = subject.profile.within!
    const { target } = await subject.make()
    const foreign = await kit.subject(resource).make({ [tenant.field]: (await kit.subject(tenant.resource).make()).id })
    const body = { [field]: [foreign.id] }
    ;(await kit.send(`PATCH ${target}`, { as: subject.creator, body })).fails(422).names(`${field}[0]`)
  })

  define('10.2.10', ['unique', 'within'], async ({ kit, subject }) => {
    const tenant = subject.profile.within!
    const input = await subject.input()
    ;(await subject.post(input)).is(201)
    ;(await subject.post({ ...input, [tenant.field]: (await kit.subject(tenant.resource).make()).id })).is(201)
    ;(await subject.post(input)).fails(409, 'CONFLICT').names(subject.profile.unique!)
  })
}

function defineMembers(define: Define): void {
  define('10.2.3', ['tenant', 'join', 'other'], async (scene) => {
    const { kit, subject } = scene
    const tenant = await subject.make()
    await joinTenant(scene, tenant)
    const records = inside(scene)
    const as = subject.profile.other!
    const mine = await records.post({ ...(await records.input()), [subject.profile.tenant!.field]: tenant.id }, { as })
    const target = `${records.path}/${mine.is(201).data.id}`
    const body = await kit.fill(records.profile.change!)
    // The role of the new member creates, and changes nothing.
    ;(await kit.send(`PATCH ${target}`, { as, body })).fails(403)
    ;(await kit.send(`PATCH ${target}`, { as: records.creator, body })).is(200)
  })

  define('10.2.9', ['tenant', 'join', 'other'], async (scene) => {
    const { kit, subject } = scene
    const tenant = await subject.make()
    const as = subject.profile.other!
    ;(await kit.send(`GET ${tenant.target}`, { as })).fails(404)
    const membership = await joinTenant(scene, tenant)
    ;(await kit.send(`GET ${tenant.target}`, { as })).is(200)
    ;(await kit.send(`DELETE ${membership}`, { as: subject.creator })).is(204)
    ;(await kit.send(`GET ${tenant.target}`, { as })).fails(404)
  })

  define('10.2.7', ['tenant', 'join'], async ({ kit, subject }) => {
    const { memberships } = subject.profile.join!
    const tenant = await subject.make()
    const list = `/api/${kit.version}/${memberships}?${subject.profile.tenant!.field}=${tenant.id}`
    const as = subject.creator
    const members = (await kit.send(`GET ${list}`, { as })).is(200)
    members.has('members', members.data.length, 1)
    const last = `/api/${kit.version}/${memberships}/${members.data[0].id}`
    ;(await kit.send(`DELETE ${last}`, { as })).fails(422, 'BUSINESS_RULE_VIOLATION')
    ;(await kit.send(`GET ${tenant.target}`, { as })).is(200)
  })
}

function defineKeysOfTenants(define: Define): void {
  define('10.2.11', ['tenant', 'tenantKeys', 'apiKeys'], (scene) =>
    withTenantKey(scene, {}, async ({ headers, tenant }) => {
      const { kit, subject } = scene
      ;(await kit.send(`GET ${tenant.target}`, { headers })).is(200)
      const { record, tenant: foreign } = await tenantWithRecord(scene)
      for (const target of [record.target, foreign.target]) (await kit.send(`GET ${target}`, { headers })).fails(404)
      const list = (await kit.send(`GET ${subject.path}?limit=100`, { headers })).is(200)
      list.has('tenants', list.data.length, 1)
    }))

  define('10.2.12', ['tenant', 'tenantKeys', 'apiKeys', 'other'], async ({ kit, subject }) => {
    const tenant = await subject.make()
    const { role } = subject.profile.tenantKeys!
    const path = `/api/${kit.version}/${kit.profile.apiKeys!.path}`
    const { field } = subject.profile.tenant!
    const body = { name: kit.run, scopes: ['*'], role }
    const outside = await kit.send(`POST ${path}`, {
      as: subject.profile.other!,
      body: { ...body, [field]: tenant.id },
    })
    outside.fails(422).names(field)
    ;(await kit.send(`POST ${path}`, { as: subject.creator, body })).fails(422)
  })

  define('10.2.13', ['tenant', 'tenantKeys', 'apiKeys', 'me', 'graphql'], (scene) =>
    withTenantKey(scene, {}, async ({ headers }) => {
      const { kit } = scene
      ;(await kit.send(`GET /api/${kit.version}/${kit.profile.me}`, { headers })).fails(403)
      const answer = (await kit.graphql('{ me { id } }', undefined, { headers })).hasError('FORBIDDEN')
      answer.has('me', answer.data.me, null)
    }))

  define('10.2.15', ['tenant', 'tenantKeys', 'apiKeys', 'delete'], (scene) =>
    withTenantKey(scene, {}, async ({ headers, tenant }) => {
      const { kit, subject } = scene
      ;(await kit.send(`GET ${tenant.target}`, { headers })).is(200)
      ;(await kit.send(`DELETE ${tenant.target}`, { as: subject.creator })).is(204)
      ;(await kit.send(`GET ${tenant.target}`, { headers })).fails(401, 'INVALID_CREDENTIALS')
    }))

  define('10.2.19', ['tenant', 'tenantKeys', 'apiKeys', 'me'], (scene) =>
    withTenantKey(scene, { role: null }, async ({ headers, tenant }) => {
      const { kit, subject } = scene
      const me = (await kit.send(`GET /api/${kit.version}/${kit.profile.me}`, { headers })).is(200)
      me.has('the account', me.data.id, await kit.accountId(subject.creator))
      ;(await kit.send(`GET ${tenant.target}`, { headers })).is(200)
      const { record, tenant: foreign } = await tenantWithRecord(scene)
      for (const target of [record.target, foreign.target]) (await kit.send(`GET ${target}`, { headers })).fails(404)
    }))

  define('10.2.21', ['tenant', 'tenantKeys', 'apiKeys', 'other'], (scene) =>
    withTenantKey(scene, {}, async ({ target }) => {
      const { kit, subject } = scene
      ;(await kit.send(`GET ${target}`, { as: subject.creator })).is(200)
      ;(await kit.send(`GET ${target}`, { as: subject.profile.other! })).fails(404)
      ;(await kit.send(`DELETE ${target}`, { as: subject.creator })).is(204)
    }))

  define('10.2.20', ['tenant', 'tenantKeys', 'apiKeys'], (scene) =>
    withTenantKey(scene, {}, async ({ headers, tenant }) => {
      const { kit, subject } = scene
      const records = inside(scene)
      const answer = await kit.send(`GET ${records.path}?${subject.profile.tenant!.field}=${tenant.id}`, { headers })
      answer.is(200)
      // Creating tenants requires an account with a role of the service.
      ;(await kit.send(`POST ${subject.path}`, { headers, body: await subject.input() })).fails(403)
    }))
}
