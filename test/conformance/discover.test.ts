// Drafts of profiles, from OpenAPI documents.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Document, draftProfile } from '../../conformance/src/discover.ts'
import { type Profile, problemsOf } from '../../conformance/src/profile.ts'

/** A document of a service that has never heard of the contract. */
const petShop: Document = {
  servers: [{ url: 'https://pets.example/v3' }],
  paths: {
    '/owners': {
      get: {},
      post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/NewOwner' } } } } },
    },
    '/owners/{ownerId}': {
      get: {
        responses: { '200': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Owner' } } } } },
      },
    },
    '/pets': {
      get: {
        parameters: [
          {
            name: 'sort',
            description: 'The order. By `weight` only with `owner_id`.',
            schema: { type: 'string', enum: ['name', '-name', 'weight', '-weight'] },
          },
          { name: 'q', schema: { type: 'string' } },
        ],
      },
      post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/NewPet' } } } } },
      patch: {},
    },
    '/pets/{petId}': {
      get: {
        responses: { '200': { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } } },
      },
      patch: {},
      delete: {},
    },
    '/pets/batch': { post: {} },
    '/inventory': { get: {} },
  },
  components: {
    schemas: {
      NewOwner: {
        type: 'object',
        required: ['email'],
        properties: { email: { type: 'string', format: 'email' }, nick: { type: 'string' } },
      },
      NewPet: {
        allOf: [
          {
            type: 'object',
            required: ['name', 'kind'],
            properties: { name: { type: 'string', maxLength: 60 }, kind: { type: 'string', enum: ['CAT', 'DOG'] } },
          },
          {
            type: 'object',
            required: ['ownerId', 'weight'],
            properties: { ownerId: { type: 'string' }, weight: { type: 'integer', minimum: 3 } },
          },
        ],
      },
    },
  },
}

test('a document of another service becomes a draft without problems', () => {
  const draft = draftProfile(petShop, 'openapi.json') as Profile
  assert.deepEqual(problemsOf(draft), [])
  assert.deepEqual(draft.resources, {
    owners: {
      path: 'owners',
      type: 'Owner',
      as: 'writer',
      other: 'other',
      create: { email: '{{unique}}@{{run}}.example' },
    },
    pets: {
      path: 'pets',
      type: 'Pet',
      as: 'writer',
      other: 'other',
      create: { name: '{{run}} {{unique}}', kind: 'CAT', ownerId: '{{id:owners}}', weight: 3 },
      text: { field: 'name', max: 60 },
      change: { name: '{{run}} changed {{unique}}' },
      integer: { field: 'weight', min: 3 },
      relations: { ownerId: 'owners' },
      sort: ['name'],
      search: true,
      batch: true,
      updateMany: true,
      delete: true,
    },
  })
})
