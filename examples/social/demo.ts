import type { Seed } from 'duet-api'
import { Post } from './post.ts'
import { Comment, Like } from './reply.ts'
import { Block, User } from './user.ts'

/** Ann, Ben and Cat write to each other; Dan is blocked by Ann; Mod keeps order. */
export function fillDemo(seed: Seed, passwordHash: string): void {
  let minute = 0
  const createdAt = () => new Date(Date.UTC(2026, 10, 1, 9, minute++))
  const account = (name: string, role: 'MEMBER' | 'MODERATOR' = 'MEMBER') =>
    seed.create(User, {
      name,
      email: `${name.toLowerCase()}@example.com`,
      role,
      password: passwordHash,
      createdAt: createdAt(),
    })
  const [ann, ben, cat, dan] = [account('Ann'), account('Ben'), account('Cat'), account('Dan')] as const
  account('Mod', 'MODERATOR')
  for (const follower of [ben, cat]) seed.link(User, ann, 'followers', follower)
  seed.link(User, ben, 'followers', ann)
  seed.create(Block, { user: ann, blocked: dan, createdAt: createdAt() })

  const post = (author: string, text: string, audience: 'EVERYONE' | 'FOLLOWERS' | 'ONLY_ME' = 'EVERYONE') =>
    seed.create(Post, { author, text, audience, createdAt: createdAt() })
  const hello = post(ann, 'Hello, everyone.')
  post(ann, 'Only for those who follow me.', 'FOLLOWERS')
  post(ann, 'A note to myself.', 'ONLY_ME')
  post(ben, 'Good morning.')
  post(dan, 'Is there no answer?')
  const first = seed.create(Comment, { post: hello, author: ben, text: 'Welcome!', createdAt: createdAt() })
  seed.create(Comment, { post: hello, parent: first, author: ann, text: 'Thank you.', createdAt: createdAt() })
  seed.create(Like, { post: hello, user: ben, createdAt: createdAt() })
}
