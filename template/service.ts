import { service } from 'duet-api'
import { Project } from './project.ts'
import { Task } from './task.ts'
import { User } from './user.ts'

/** What this service consists of, who signs in to it, and what each role may do. */
export const api = service({
  resources: { User, Project, Task },
  accounts: {
    login: 'email',
    password: 'password',
    role: 'role',
    activeState: 'ACTIVE',
    // A mail at sign-up proves the address.
    verified: 'emailVerified',
    methods: {},
  },
  roles: {
    MEMBER: {},
    ADMIN: 'everything',
  },
})
