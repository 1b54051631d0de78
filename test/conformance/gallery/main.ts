// Starts the gallery with two accounts.

import { main } from 'duet-api'
import { gallery, User } from './service.ts'

await main(gallery, {
  demo(seed, passwordHash) {
    for (const name of ['kim', 'lou'])
      seed.create(User, {
        email: `${name}@example.com`,
        password: passwordHash,
        createdAt: new Date(Date.UTC(2026, 10, 1)),
      })
  },
})
