import assert from 'node:assert/strict'
import { test } from 'node:test'
import pluralize from 'pluralize'
import { type PluralOf, plural, type SingularOf, singular } from './plural.ts'

const nouns = (
  'account activity address agency alias answer article asset attachment attendee author badge bank batch bill booking box ' +
  'branch brand bus business calendar campaign campus case category cause channel charge choice city clause class client ' +
  'comment community company condition contract country course credit currency customer day delivery department discount ' +
  'dish document driver duty employee entity entry error essay event exchange expense fax feature fee field file fox gallery ' +
  'glass group guess guest hash history holiday hotel house industry inquiry invoice issue item journey key language lease ' +
  'library license like line list lunch match message method migration monkey month note office option order page parcel ' +
  'party pass password patch payment penalty phase phone photo picture plan policy price prize process product purchase ' +
  'query question race rate reply request response role route row rule sale schedule search session shipment signature size ' +
  'source space stage status step stock store story street subscription summary supplier survey switch table tag task tax ' +
  'tenant ticket tier topic toy track tree type union university update user value variant vehicle video visit vote ' +
  'voucher warehouse watch week wish witness workspace year zone'
).split(' ')

/** Where the library is wrong or formal. */
const better = [
  ['cache', 'caches'],
  ['cookie', 'cookies'],
  ['movie', 'movies'],
  ['use', 'uses'],
] as const

test('1.1.3 regular nouns have the plural and the singular that pluralize gives', () => {
  const wrong = nouns.filter((noun) => plural(noun) !== pluralize(noun) || singular(pluralize(noun)) !== noun)
  assert.deepEqual(wrong, [])
  for (const [noun, nouns] of better) assert.deepEqual([plural(noun), singular(nouns)], [nouns, noun])
})

test('1.1.3 names of several words follow their last one, and a singular stays', () => {
  assert.equal(plural('orderCategory'), 'orderCategories')
  assert.equal(singular('companyAddresses'), 'companyAddress')
  assert.equal(singular('relatedUses'), 'relatedUse')
  assert.equal(singular('address'), 'address')
  assert.equal(singular('staff'), 'staff')
})

/** Checked against the types when it is compiled, against the functions when it runs. */
const plurals = {
  category: 'categories',
  tax: 'taxes',
  branch: 'branches',
  status: 'statuses',
  day: 'days',
  post: 'posts',
  house: 'houses',
  use: 'uses',
  alias: 'aliases',
  cookie: 'cookies',
  size: 'sizes',
  quay: 'quays',
} as const
const typedPlurals: { readonly [Noun in keyof typeof plurals]: PluralOf<Noun> } = plurals
const singulars: { readonly [Noun in keyof typeof plurals as PluralOf<Noun>]: SingularOf<PluralOf<Noun>> } = {
  categories: 'category',
  taxes: 'tax',
  branches: 'branch',
  statuses: 'status',
  days: 'day',
  posts: 'post',
  houses: 'house',
  uses: 'use',
  aliases: 'alias',
  cookies: 'cookie',
  sizes: 'size',
  quays: 'quay',
}

test('types know the same names', () => {
  for (const [noun, nouns] of Object.entries(typedPlurals)) assert.equal(plural(noun), nouns)
  for (const [nouns, noun] of Object.entries(singulars)) assert.equal(singular(nouns), noun)
})
