// A service of so many resources, each with fields, filters, sorts, a relation and rules: how long it takes to start, with
// its schema and documents made, and how long a read then takes.

import {
  type AnyResource,
  actor,
  anyOf,
  anyone,
  choice,
  email,
  is,
  may,
  one,
  own,
  password,
  resource,
  service,
  state,
  text,
  timestamp,
  when,
} from 'duet-api'
import { silentLog } from '../src/observation/log.ts'
import { readConfiguration } from '../src/service/configuration/configuration.ts'
import { startService } from '../src/service/service.ts'
import { sized } from './scale.ts'

const count = Number(process.argv[2])

const User = resource('User', {
  prefix: 'usr',
  fields: {
    email: email({ unique: true }),
    password: password({ min: 8, max: 200 }),
    status: state('ACTIVE'),
    role: choice(['MEMBER', 'ADMIN'], { default: 'MEMBER' }),
  },
  actions: { read: { allow: anyone }, create: { allow: anyone, accept: ['email', 'password'] } },
})

function thing(number: number): AnyResource {
  return resource(`Thing${number}`, {
    prefix: `th${number}`,
    fields: {
      title: text({ max: 200 }),
      body: text({ max: 5_000 }),
      dueAt: timestamp(),
      owner: one('User', { default: actor }),
      status: state('draft', 'published'),
    },
    filter: { status: is, owner: is },
    sort: ['title', 'dueAt'],
    actions: {
      read: { allow: anyOf(when({ status: 'published' }), own('owner'), may('edit')) },
      create: { allow: may('create'), accept: ['title', 'body', 'dueAt'] },
      update: { allow: may('edit', own('owner')), accept: ['title', 'body', 'dueAt'] },
      delete: { allow: may('delete', own('owner')) },
      publish: { allow: may('publish'), from: 'draft', to: 'published' },
    },
  })
}

const began = performance.now()
const resources = Object.fromEntries(Array.from({ length: count }, (_, index) => [`Thing${index}`, thing(index)]))
const api = service({
  resources: { User, ...resources },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  roles: { MEMBER: {}, ADMIN: 'everything' },
})
const running = await startService(api, {
  configuration: readConfiguration({ PORT: '0', DATABASE_URL: 'sqlite::memory:', LIMIT_IP_PER_MINUTE: '0' }),
  log: silentLog,
  clock: () => new Date(),
})
const ask = async (path: string) => (await fetch(running.url + path)).text()
await ask('/health')
const startMs = performance.now() - began
await ask('/graphql?query={__typename}')
const reads = sized(2_000, 20)
const before = process.cpuUsage()
for (let read = 0; read < reads; read++) await ask(`/api/v1/thing${read % count}s?per_page=1`)
const { user, system } = process.cpuUsage(before)
process.send?.({ startMs, readUs: (user + system) / reads })
process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)))
