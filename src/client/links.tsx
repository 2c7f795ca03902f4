import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Paper,
  type PaperProps,
} from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

/** What a component of Mantine takes if it renders an anchor. */
export type AsAnchor<Props> = Props & Omit<ComponentProps<'a'>, keyof Props>

/** Components that look like Mantine's and open an address of this application, checked by the router's types. */
export const LinkButton = createLink((props: AsAnchor<ButtonProps>) => (
  <Button component="a" {...props} />
))
export const LinkAnchor = createLink((props: AsAnchor<AnchorProps>) => <Anchor {...props} />)
export const LinkPaper = createLink((props: AsAnchor<PaperProps>) => (
  <Paper component="a" {...props} />
))
