// The data that every contender serves: 1,000 users and 20,000 posts of about 400 characters, the same every time.

import { sized } from './scale.ts'

export interface BenchUser {
  readonly name: string
  readonly email: string
  readonly createdAt: Date
}
export interface BenchPost {
  readonly title: string
  readonly content: string
  readonly tags: readonly string[]
  /** The place of its author among the users. */
  readonly author: number
  readonly createdAt: Date
}

export const userCount = sized(1_000, 40)
export const postCount = sized(20_000, 400)
const begin = Date.UTC(2026, 0, 1)

export function makeUsers(count = userCount): readonly BenchUser[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `User ${index}`,
    email: `user${index}@example.com`,
    createdAt: new Date(begin + index * 60_000),
  }))
}

export function makePosts(count = postCount, users = userCount): readonly BenchPost[] {
  const text =
    'The quick brown fox jumps over the lazy dog while the band plays on and nobody in the harbour looks up. '
  return Array.from({ length: count }, (_, index) => ({
    title: `Post ${index} about things that matter`,
    content: `${text.repeat(4).slice(0, 380)} No. ${index}.`,
    tags: [`tag${index % 17}`, `tag${index % 23}`],
    author: (index * 7_919) % users,
    createdAt: new Date(begin + 86_400_000 + index * 30_000),
  }))
}
