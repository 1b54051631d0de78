// What relations ask of the records that clients name, on every path through both faces.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { boolean, one, optional, own, resource, service, signedIn, text, through } from 'duet-api'
import { Comment } from '../../reference/comment.ts'
import { Post } from '../../reference/post.ts'
import { User } from '../../reference/user.ts'
import { clauses, type Row, type Step } from '../support/rows/clauses.ts'
import { withService } from '../support/server/service.ts'

const free = {
  read: { allow: signedIn },
  create: { allow: signedIn, accept: ['title'] },
  update: { allow: signedIn, accept: ['title'] },
} as const
const Project = resource('Project', {
  prefix: 'prj',
  fields: { title: text({ max: 50 }), owner: one('User', { cascade: 'regardless' }) },
  actions: { read: free.read },
})
const Folder = resource('Folder', {
  prefix: 'fol',
  fields: { title: text({ max: 50 }), project: optional(one('Project')), isHidden: boolean({ default: false }) },
  actions: { read: { allow: through('project', own('owner')) } },
})
const Paper = resource('Paper', {
  prefix: 'pap',
  fields: {
    title: text({ max: 50 }),
    project: optional(one('Project')),
    folder: optional(one('Folder', { same: 'project' })),
    chief: optional(one('Project', { into: own('owner') })),
  },
  actions: {
    read: { allow: signedIn },
    create: { allow: signedIn, accept: ['title', 'project', 'folder', 'chief'] },
    update: { allow: signedIn, accept: ['title', 'project', 'folder', 'chief'] },
    promote: { allow: signedIn, accept: ['chief'] },
    detach: { allow: signedIn, set: { project: null } },
  },
})
const desk = service({
  resources: { User, Post, Comment, Project, Folder, Paper },
  accounts: { login: 'email', password: 'password', role: 'role', activeState: 'ACTIVE' },
  versions: { v1: { deprecated: '2026-11-20', sunset: '2027-11-20' }, v2: 'current' },
  roles: { VIEWER: {}, EDITOR: { posts: ['create', 'publish'] }, ADMIN: 'everything' },
})

const given = {
  mine: { Project: { title: 'Mine', owner: '{viewer}' } },
  'my other': { Project: { title: 'Too', owner: '{viewer}' } },
  theirs: { Project: { title: 'Theirs', owner: '{editor}' } },
  folder: { Folder: { title: 'F', project: '{mine}' } },
  'other folder': { Folder: { title: 'G', project: '{my other}' } },
  'no folder': { Folder: { title: 'H', project: '{theirs}' } },
  paper: { Paper: { title: 'P', project: '{mine}', folder: '{folder}' } },
  'loose paper': { Paper: { title: 'L' } },
}
const missing = (field: string) =>
  ({
    status: 422,
    code: 'BUSINESS_RULE_VIOLATION',
    field,
    message: 'The request refers to a record that does not exist.',
  }) as const
const camel = (body: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name.replace('_id', 'Id'), value]))
type Body = Readonly<Record<string, unknown>>

const create = (clause: Row['clause'], it: string, body: Body, answer: Step['answer']): Row => ({
  clause,
  it,
  as: 'viewer',
  given,
  send: 'POST /api/v2/papers',
  body: { title: 'T', ...body },
  also: {
    query: 'mutation ($input: CreatePaperInput!) { createPaper(input: $input) { id } }',
    variables: { input: { title: 'T', ...camel(body) } },
  },
  answer,
})
const update = (clause: Row['clause'], it: string, id: string, body: Body, answer: Step['answer']): Row => ({
  clause,
  it,
  as: 'viewer',
  given,
  send: `PATCH /api/v2/papers/${id}`,
  body,
  also: {
    query: `mutation ($input: UpdatePaperInput!) { updatePaper(id: "${id}", input: $input) { id } }`,
    variables: { input: camel(body) },
  },
  answer,
})

clauses(
  '10.1 What references ask',
  [
    create('10.1.12', 'names what the rule holds for', { chief_id: '{mine}' }, { status: 201 }),
    create('10.1.12', 'names nothing', { chief_id: null }, { status: 201 }),
    create('10.1.12', 'names what the rule does not hold for', { chief_id: '{theirs}' }, missing('chief_id')),
    create('10.1.12', 'names what is not there', { chief_id: 'prj_00000000000000000000000000' }, missing('chief_id')),
    update('10.1.12', 'so does an update', '{paper}', { chief_id: '{theirs}' }, missing('chief_id')),
    update('10.1.12', 'or does it', '{paper}', { chief_id: '{mine}' }, { status: 200 }),
    {
      clause: '10.1.12',
      it: 'so does a move',
      as: 'viewer',
      given,
      send: 'POST /api/v2/papers/{paper}/promote',
      body: { chief_id: '{theirs}' },
      also: 'mutation { promotePaper(id: "{paper}", input: { chiefId: "{theirs}" }) { id } }',
      answer: missing('chief_id'),
    },
    {
      clause: '10.1.12',
      it: 'so does each of a batch',
      as: 'viewer',
      given,
      send: 'POST /api/v2/papers/batch',
      body: {
        papers: [
          { title: 'A', chief_id: '{mine}' },
          { title: 'B', chief_id: '{theirs}' },
        ],
      },
      answer: missing('papers[1].chief_id'),
    },
    {
      clause: '10.1.12',
      it: 'so does an update of many',
      as: 'viewer',
      given,
      send: 'PATCH /api/v2/papers',
      body: { ids: ['{paper}', '{loose paper}'], chief_id: '{theirs}' },
      answer: missing('chief_id'),
    },
    create('10.1.13', 'both are in one', { project_id: '{mine}', folder_id: '{folder}' }, { status: 201 }),
    create('10.1.13', 'they are not', { project_id: '{mine}', folder_id: '{other folder}' }, missing('folder_id')),
    create('10.1.13', 'the record is in none', { folder_id: '{folder}' }, missing('folder_id')),
    create('10.1.13', 'nothing is named', { project_id: '{mine}' }, { status: 201 }),
    create(
      '10.1.13',
      'a hidden record is like a missing one, and reported once',
      { project_id: '{mine}', folder_id: '{no folder}' },
      missing('folder_id'),
    ),
    create(
      '10.1.13',
      'reported with all others that are missing',
      { project_id: '{mine}', folder_id: '{other folder}', chief_id: '{theirs}' },
      { status: 422, code: 'BUSINESS_RULE_VIOLATION', fields: ['folder_id', 'chief_id'] },
    ),
    update('10.1.13', 'the reference moves out', '{paper}', { folder_id: '{other folder}' }, missing('folder_id')),
    update('10.1.13', 'the record moves out', '{paper}', { project_id: '{my other}' }, missing('project_id')),
    update('10.1.13', 'the record is in none any more', '{paper}', { project_id: null }, missing('project_id')),
    update(
      '10.1.13',
      'both move together',
      '{paper}',
      { project_id: '{my other}', folder_id: '{other folder}' },
      { status: 200 },
    ),
    update(
      '10.1.13',
      'the record moves, and names nothing',
      '{loose paper}',
      { project_id: '{mine}' },
      { status: 200 },
    ),
    update('10.1.13', 'what has nothing to do with it', '{paper}', { title: 'U' }, { status: 200 }),
    {
      clause: '10.1.13',
      it: 'an update of many, where one is elsewhere',
      as: 'viewer',
      given,
      send: 'PATCH /api/v2/papers',
      body: { ids: ['{paper}', '{loose paper}'], folder_id: '{folder}' },
      answer: missing('folder_id'),
    },
    {
      clause: '10.1.13',
      it: 'a value that the definition sets is not checked',
      as: 'viewer',
      given,
      send: 'POST /api/v2/papers/{paper}/detach',
      also: 'mutation { detachPaper(id: "{paper}") { id } }',
      answer: { status: 200 },
    },
  ],
  { definition: desk },
)

withService(
  '10.1 What references ask, in the documents',
  (service) => {
    test('10.1.12, 10.1.13 both faces say it where the record is named', async () => {
      const { body } = await service().client.send('GET /api/v2/openapi.json')
      const { properties } = body.components.schemas.CreatePaper
      assert.match(properties.chief_id.description, /May be named by its owner_id\.$/)
      assert.match(properties.folder_id.description, /Must have the same project as the paper\.$/)
      const { data } = (
        await service().graphql('{ __type(name: "CreatePaperInput") { inputFields { name description } } }')
      ).body
      const fields: readonly { name: string; description: string }[] = data.__type.inputFields
      const aboutOf = (name: string) => fields.find((each) => each.name === name)!.description
      assert.match(aboutOf('chiefId'), /May be named by its owner\.$/)
      assert.match(aboutOf('folderId'), /Must have the same project as the paper\.$/)
    })
  },
  { definition: desk },
)
