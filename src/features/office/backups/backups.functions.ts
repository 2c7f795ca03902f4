import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as backups from './backups.server'

export const listBackups = createServerFn()
  .validator(inputOf(backups.listBackups))
  .handler(serve(backups.listBackups))
export const lastBackup = createServerFn()
  .validator(inputOf(backups.lastBackup))
  .handler(serve(backups.lastBackup))
export const startBackup = createServerFn({ method: 'POST' })
  .validator(inputOf(backups.startBackup))
  .handler(serve(backups.startBackup))
