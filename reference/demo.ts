import type { Seed } from 'duet-api'
import { Article } from './article.ts'
import { Comment } from './comment.ts'
import { Order } from './order.ts'
import { Post } from './post.ts'
import { Product } from './product.ts'
import { User } from './user.ts'

/** Demo data, the same on every machine: 50 users, 500 posts, and everything that makes lists worth paging. (contract 2.10.1) */
export function fillDemo(seed: Seed, passwordHash: string): void {
  const random = makeRandom(20_261_120)
  const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!
  const day = (count: number) => new Date(Date.UTC(2026, 0, 1) + Math.floor(count * 86_400_000))
  const words = (count: number) => Array.from({ length: count }, () => pick(vocabulary)).join(' ')
  const sentence = (count: number) => `${words(count).replace(/^./, (letter) => letter.toUpperCase())}.`
  const paragraphs = (count: number) =>
    Array.from({ length: count }, () =>
      Array.from({ length: 4 }, () => sentence(6 + Math.floor(random() * 8))).join(' '),
    ).join('\n\n')

  const account = (name: string, email: string, role: 'VIEWER' | 'EDITOR' | 'ADMIN', at: Date) =>
    seed.create(User, {
      name,
      email,
      role,
      password: passwordHash,
      emailVerified: true,
      bio: sentence(9),
      createdAt: at,
    })
  const staff = (['ADMIN', 'EDITOR', 'VIEWER'] as const).map((role, index) => {
    const name = role.charAt(0) + role.slice(1).toLowerCase()
    return account(`${name} Example`, `${role.toLowerCase()}@example.com`, role, day(index / 10))
  })
  const [admin, editor] = staff as [string, string, string]
  const people = Array.from({ length: 47 }, (_, index) => {
    const name = `${pick(givenNames)} ${pick(familyNames)}`
    return account(
      name,
      `${addressOf(name)}.${index + 1}@example.com`,
      index % 6 === 0 ? 'EDITOR' : 'VIEWER',
      day(1 + index),
    )
  })
  const users = [...staff, ...people]
  const authors = [admin, editor, ...people.filter((_, index) => index % 6 === 0)]

  for (const user of users) {
    const followed = new Set(
      Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick(users)).filter((each) => each !== user),
    )
    for (const other of followed) seed.link(User, other, 'followers', user)
  }
  const posts = Array.from({ length: 500 }, (_, index) => {
    const createdAt = day(50 + index / 2)
    const tags = [...new Set(Array.from({ length: Math.floor(random() * 4) }, () => pick(topics)))]
    const publishedAt = index % 5 === 4 ? null : new Date(createdAt.getTime() + 3_600_000)
    return seed.create(Post, {
      title: words(5),
      content: paragraphs(2),
      tags,
      author: pick(authors),
      publishedAt,
      createdAt,
    })
  })
  for (let index = 0; index < 2_000; index++) {
    seed.create(Comment, {
      post: pick(posts),
      author: pick(users),
      content: sentence(10),
      createdAt: day(300 + index / 100),
    })
  }
  for (let index = 0; index < 20; index++) {
    const status = (['draft', 'in_review', 'published', 'archived'] as const)[index % 4]!
    seed.create(Article, {
      title: words(6),
      body: paragraphs(3),
      author: pick(authors),
      status,
      createdAt: day(200 + index),
    })
  }
  const products = Array.from({ length: 40 }, (_, index) => {
    const record = {
      name: words(2),
      category: pick(categories),
      price: 100 * (1 + Math.floor(random() * 200)),
      currency: 'EUR',
      stock: 10 + Math.floor(random() * 90),
    }
    return { price: record.price, id: seed.create(Product, { ...record, createdAt: day(20 + index) }) }
  })
  for (let index = 0; index < 30; index++) {
    const { id, price } = pick(products)
    const quantity = 1 + Math.floor(random() * 3)
    const status = (['pending', 'paid', 'cancelled'] as const)[index % 3]!
    const items = [{ product: id, quantity, unitPrice: price }]
    seed.create(Order, {
      user: pick(users),
      items,
      status,
      total: price * quantity,
      currency: 'EUR',
      createdAt: day(305 + index / 4),
    })
  }
}

/** A small generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const givenNames = [
  'Ada',
  'Björk',
  'Chidi',
  'Dana',
  'Emil',
  'Fatima',
  'Goran',
  'Hana',
  'Ines',
  'Jonas',
  'Keiko',
  'Liam',
  'Mira',
  'Noor',
  'Olu',
]
const familyNames = [
  'Abel',
  'Berg',
  'Costa',
  'Diaz',
  'Eriksen',
  'Fischer',
  'Garcia',
  'Haddad',
  'Ito',
  'Jensen',
  'Kovac',
  'Lindt',
  'Moreau',
  'Novak',
]
const topics = ['travel', 'food', 'music', 'science', 'history', 'sport', 'books', 'garden', 'film', 'design']
const categories = ['books', 'kitchen', 'garden', 'music', 'office']
const vocabulary = [
  'river',
  'quiet',
  'garden',
  'morning',
  'letter',
  'winter',
  'stone',
  'bright',
  'harbour',
  'story',
  'bread',
  'window',
  'slow',
  'train',
  'mountain',
  'paper',
  'green',
  'market',
  'early',
  'music',
  'small',
  'house',
  'rain',
  'long',
  'road',
  'warm',
  'light',
  'old',
  'bridge',
  'sea',
  'new',
  'day',
  'under',
  'over',
  'between',
]

/** `bjork.jensen`: the letters of a name without their accents. */
const addressOf = (name: string): string =>
  name.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '').replace(' ', '.')
