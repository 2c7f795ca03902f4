import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as permissions from './permissions.server'
import * as users from './users.server'

const post = { method: 'POST' } as const

export const listUsers = createServerFn()
  .validator(inputOf(users.listUsers))
  .handler(serve(users.listUsers))
export const listUserNames = createServerFn()
  .validator(inputOf(users.listUserNames))
  .handler(serve(users.listUserNames))
export const getUser = createServerFn()
  .validator(inputOf(users.getUser))
  .handler(serve(users.getUser))
export const findUser = createServerFn()
  .validator(inputOf(users.findUser))
  .handler(serve(users.findUser))
export const saveUser = createServerFn(post)
  .validator(inputOf(users.saveUser))
  .handler(serve(users.saveUser))
export const resetPassword = createServerFn(post)
  .validator(inputOf(users.resetPassword))
  .handler(serve(users.resetPassword))
export const deleteUser = createServerFn(post)
  .validator(inputOf(users.deleteUser))
  .handler(serve(users.deleteUser))
export const clinicsOfUserWhere = createServerFn()
  .validator(inputOf(users.clinicsOfUserWhere))
  .handler(serve(users.clinicsOfUserWhere))

export const listPermissions = createServerFn()
  .validator(inputOf(permissions.listPermissions))
  .handler(serve(permissions.listPermissions))
export const savePermissions = createServerFn(post)
  .validator(inputOf(permissions.savePermissions))
  .handler(serve(permissions.savePermissions))
export const giveClinic = createServerFn(post)
  .validator(inputOf(permissions.giveClinic))
  .handler(serve(permissions.giveClinic))
export const revokeClinic = createServerFn(post)
  .validator(inputOf(permissions.revokeClinic))
  .handler(serve(permissions.revokeClinic))
