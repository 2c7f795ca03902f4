import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as audit from './audit.server'

export const listAudit = createServerFn()
  .validator(inputOf(audit.listAudit))
  .handler(serve(audit.listAudit))
export const listAuditUsers = createServerFn()
  .validator(inputOf(audit.listAuditUsers))
  .handler(serve(audit.listAuditUsers))
