import {
  Anchor,
  type AnchorProps,
  Button,
  type ButtonProps,
  Paper,
  type PaperProps,
} from '@mantine/core'
import { createLink, useRouter } from '@tanstack/react-router'
import type { ComponentProps } from 'react'

/** What a component of Mantine takes if it renders an anchor. */
export type AsAnchor<Props> = Props & Omit<ComponentProps<'a'>, keyof Props>

type CurrentLinkProps = Pick<ComponentProps<'a'>, 'href' | 'aria-current'>

/** The router marks links to parents of a screen, too: a screen reader would call each crumb the current page. */
export function useAriaCurrent<P extends CurrentLinkProps>(props: P): P {
  const { pathname } = useRouter().state.location
  const isOwn = pathOnly(props.href) === pathOnly(pathname)
  return isOwn || !props['aria-current'] ? props : { ...props, 'aria-current': undefined }
}

const pathOnly = (address = '') => address.replace(/[?#].*$/s, '').replace(/\/$/, '')

/** Components that look like Mantine's and open an address of this application, checked by the router's types. */
export const LinkButton = createLink((props: AsAnchor<ButtonProps>) => (
  <Button component="a" {...useAriaCurrent(props)} />
))
export const LinkAnchor = createLink((props: AsAnchor<AnchorProps>) => (
  <Anchor {...useAriaCurrent(props)} />
))
export const LinkPaper = createLink((props: AsAnchor<PaperProps>) => (
  <Paper component="a" {...useAriaCurrent(props)} />
))
