import { createServerFn } from '@tanstack/react-start'
import { inputOf, serve } from '~/server/serve.server'
import * as timeline from './timeline.server'

export const listTimeline = createServerFn()
  .validator(inputOf(timeline.listTimeline))
  .handler(serve(timeline.listTimeline))
