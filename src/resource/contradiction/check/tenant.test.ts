// Tenants whose members cannot be told, and what is within nothing. (contract 10.2)

import {
  acrossTenants,
  allOf,
  anyone,
  boolean,
  choice,
  integer,
  many,
  may,
  member,
  nobody,
  one,
  optional,
  readable,
  text,
  when,
} from 'duet-api'
import { refuses, reportsTogether, serviceWith } from '../../../../test/support/domain/valid-service.ts'

interface Change {
  readonly team?: object
  readonly seat?: object
  readonly task?: object
  readonly service?: object
}
/** A team with seats and tasks, changed. */
function teams({ team, seat, task, service }: Change) {
  return serviceWith({
    resources: {
      Team: {
        name: 'Team',
        prefix: 'tea',
        fields: { name: text({ max: 9 }), seats: many('Seat', 'team') },
        members: { list: 'seats', account: 'user', role: 'role' },
        actions: { read: { allow: member() }, create: { allow: may('create'), accept: ['name'] } },
        ...team,
      },
      Seat: {
        name: 'Seat',
        prefix: 'sea',
        within: 'team',
        fields: { team: one('Team'), user: one('User'), role: choice(['LEAD', 'GUEST']) },
        actions: { read: { allow: member('team') }, create: { allow: nobody } },
        ...seat,
      },
      Task: {
        name: 'Task',
        prefix: 'tas',
        within: 'team',
        fields: { team: one('Team'), title: text({ max: 9 }) },
        actions: { read: { allow: member('team') }, create: { allow: may('create'), accept: ['team', 'title'] } },
        ...task,
      },
    },
    tenantRoles: { Team: { LEAD: 'everything', GUEST: { tasks: ['create'] } } },
    ...service,
  })
}
const members = { list: 'seats', account: 'user', role: 'role' }
const strictTeams = (fields: object, accounts: object) =>
  teams({
    team: {
      fields: { name: text({ max: 9 }), seats: many('Seat', 'team'), ...fields },
      members: { ...members, secondFactorIf: 'isStrict' },
    },
    service: { accounts },
  })
const create = { allow: may('create'), accept: ['team', 'title'] }
const taskRead = (allow: unknown) => ({ task: { actions: { read: { allow }, create } } })

/** The same with steps, each within a task. */
const steps = (fields: object, accept: readonly string[] = ['task', 'title']) =>
  serviceWith({
    resources: {
      ...(teams({}).resources as object),
      Step: {
        name: 'Step',
        prefix: 'ste',
        within: 'task',
        fields: { task: one('Task'), title: text({ max: 9 }), ...fields },
        actions: { read: { allow: readable('task') }, create: { allow: readable('task'), accept } },
      },
    },
    tenantRoles: { Team: { LEAD: 'everything', GUEST: { tasks: ['create'] } } },
  })
const inherited =
  "Step.team: every Step has team already: the Team of its task; strike it, write one('Team', { from: 'task' }), or give it another name."

/** What can be reported with all others: tenants are known in spite of it. */
const together = [
  [steps({ team: one('Team') }), inherited],
  [steps({ team: optional(one('Team', { from: 'task' })) }), inherited],
  [
    steps({ crew: one('Team', { from: 'task' }) }),
    'Step.crew: a Step has no tenant of this name from its task; strike from.',
  ],
  [
    steps({ team: one('Team', { from: 'task' }) }, ['task', 'title', 'team']),
    'Step.create: it writes team, which a Step has from its task; strike team.',
  ],
  [
    teams({
      task: { fields: { team: one('Team'), title: text({ max: 9, unique: 'Company' }) } },
    }),
    'Task.title: it is unique in Company, and no Task is within one; write everywhere or Team instead.',
  ],
  [
    teams({ task: { unique: [{ fields: ['title'], per: 'Seat' }] } }),
    'Task.unique [title]: it is unique in Seat, and no Task is within one; write everywhere or Team instead.',
  ],
  [
    teams(taskRead(member())),
    'Task.read: member() is about nothing that has members; name a relation to a resource with members.',
  ],
  [teams(taskRead(member('team', 'BOSS'))), 'Task.read: no member of Team can be BOSS; write LEAD or GUEST instead.'],
  [
    teams(taskRead(allOf(acrossTenants(anyone), when({ title: 'x' })))),
    'Task.read: its acrossTenants has no rule about members; put it around the whole rule, or in an anyOf.',
  ],
  [teams({ service: { tenantRoles: { Task: {} } } }), 'tenantRoles: Task has no members; write Team instead.'],
  [
    teams({ service: { tenantRoles: { Team: { LEAD: 'everything' } } } }),
    'tenantRoles.Team: GUEST is not among them; list what it may do.',
  ],
  [
    teams({ service: { tenantRoles: { Team: { LEAD: 'everything', GUEST: { posts: ['create'] } } } } }),
    'tenantRoles.Team.GUEST: there are no posts within Team; write teams, seats or tasks instead.',
  ],
  [
    teams({ service: { tenantRoles: { Team: { LEAD: 'everything', GUEST: { tasks: ['fly'] } } } } }),
    'tenantRoles.Team.GUEST: no rule uses fly of tasks; write create instead.',
  ],
  [
    teams({ service: { roles: { READER: { acrossTenants: ['Task'] }, ADMIN: 'everything' } } }),
    'roles.READER: it crosses Task, which has no members; write Team instead.',
  ],
] as const

refuses('tenants', [
  [steps({})],
  [steps({ team: one('Team', { from: 'task' }) })],
  ...together,
  [
    teams({ team: { members: { ...members, list: 'name' } } }),
    "Team.members: its list name is no list of records; name a field that is many('…', '…').",
  ],
  [
    teams({ team: { members: { ...members, account: 'team' } } }),
    'Team.members: its account team names no account of Seat; name a relation to User.',
  ],
  [
    teams({ team: { members: { ...members, role: 'user' } } }),
    'Team.members: its role user is no choice of Seat; name a choice of the roles inside.',
  ],
  [
    strictTeams({}, { methods: { totp: true } }),
    'Team.members: its secondFactorIf isStrict is no boolean that every Team has; name a field that is boolean().',
  ],
  [
    strictTeams({ isStrict: optional(boolean()) }, { methods: { totp: true } }),
    'Team.members: its secondFactorIf isStrict is no boolean that every Team has; name a field that is boolean().',
  ],
  [
    strictTeams({ isStrict: boolean() }, { methods: { magicLink: false } }),
    'Team.members: its secondFactorIf needs a second factor, or its members could not sign in; switch on totp or passkeys.',
  ],
  [strictTeams({ isStrict: boolean({ default: false }) }, { methods: { passkeys: true } })],
  [
    teams({ task: { within: 'title' } }),
    "Task.within: title is no relation that every record has; name a field that is one('…').",
  ],
  [
    teams({ task: { within: 'owner', fields: { owner: one('User'), team: one('Team'), title: text({ max: 9 }) } } }),
    'Task.within: User has no members and is within nothing; give User members, or within.',
  ],
  [
    teams({ task: { within: 'parent', fields: { parent: one('Task'), team: one('Team'), title: text({ max: 9 }) } } }),
    'Task.within: it is within itself; strike one of the within between.',
  ],
  [
    teams({
      task: { actions: { read: { allow: member('team') }, create, update: { allow: may('edit'), accept: ['team'] } } },
    }),
    'Task.update: it changes team, which names the tenant of the record; strike team.',
  ],
  [
    // Of what is made from a kept number, nothing is reported.
    teams({
      task: { actions: { read: { allow: member('team') }, create, update: { allow: may('edit'), accept: ['team'] } } },
      team: { counts: { seats: 'seats' }, computed: { size: { as: integer(), from: ['seatsCount'], make: () => 1 } } },
    }),
    'Task.update: it changes team, which names the tenant of the record; strike team.',
  ],
  [
    teams({ service: { tenantRoles: { Team: { LEAD: { includes: 'LEAD' }, GUEST: 'everything' } } } }),
    'tenantRoles.Team.LEAD: it includes itself; strike one of the includes between.',
  ],
  [
    teams({ service: { tenantRoles: { Team: { LEAD: { includes: 'BOSS' }, GUEST: 'everything' } } } }),
    'tenantRoles.Team.LEAD: it includes BOSS, which is no role; write LEAD or GUEST instead.',
  ],
])
reportsTogether('contradictions of tenants', together)
