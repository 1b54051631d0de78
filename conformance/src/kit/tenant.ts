// Members and keys of a tenant, for the length of a test.

import type { Scene } from './clause.ts'
import type { Made } from './kit.ts'

/** The other account becomes a member of this tenant by its code; returns the address of the membership. */
export async function joinTenant({ kit, subject }: Scene, tenant: Made): Promise<string> {
  const { invitations, memberships, account } = subject.profile.join!
  const invitation = kit.subject(invitations)
  const { field, action } = invitation.profile.accessCode!
  const made = await invitation.make({ [subject.profile.tenant!.field]: tenant.id })
  const as = subject.profile.other!
  const headers = { 'X-Access-Code': made.record[field] as string }
  ;(await kit.send(`POST ${made.target}/${action}`, { as, headers })).is(200)
  const path = `/api/${kit.version}/${memberships}`
  const user = await kit.accountId(as)
  const list = await kit.send(`GET ${path}?${subject.profile.tenant!.field}=${tenant.id}&${account}=${user}`, {
    as: subject.creator,
  })
  return `${path}/${list.is(200).data[0].id}`
}

export interface TenantKey {
  readonly headers: Readonly<Record<string, string>>
  readonly tenant: Made
  /** The address of the key. */
  readonly target: string
}

/** Creates a tenant with a key that belongs to it. */
export async function withTenantKey(
  { kit, subject }: Scene,
  fields: { readonly role?: null },
  use: (key: TenantKey) => Promise<unknown>,
): Promise<void> {
  const { role } = subject.profile.tenantKeys!
  const { path } = kit.profile.apiKeys!
  const tenant = await subject.make()
  const as = subject.creator
  const body = {
    name: kit.run,
    scopes: ['*'],
    [subject.profile.tenant!.field]: tenant.id,
    ...(fields.role === null ? {} : { role }),
  }
  const made = (await kit.send(`POST /api/${kit.version}/${path}`, { as, body })).is(201)
  const target = `/api/${kit.version}/${path}/${made.data.id}`
  kit.journal.add({ target, as })
  try {
    await use({ headers: { 'X-API-Key': made.data.key }, tenant, target })
  } finally {
    await kit.send(`DELETE ${target}`, { as })
  }
}
