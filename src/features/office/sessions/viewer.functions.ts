import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as viewer from './viewer.server'

export const getCurrentUserId = createServerFn()
  .validator(inputOf(viewer.currentUserId))
  .handler(serve(viewer.currentUserId))
export const getCurrentUser = createServerFn()
  .validator(inputOf(viewer.currentUser))
  .handler(serve(viewer.currentUser))
export const hasRole = createServerFn()
  .validator(inputOf(viewer.hasRole))
  .handler(serve(viewer.hasRole))
export const checkPermissions = createServerFn()
  .validator(inputOf(viewer.checkPermissions))
  .handler(serve(viewer.checkPermissions))
