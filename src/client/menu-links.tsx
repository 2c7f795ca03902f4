import { ActionIcon, type ActionIconProps, Menu, type MenuItemProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import { type AsAnchor, useAriaCurrent } from './links'

/*
 * Apart from the other links: error screens use those, so that they are in the script of every page. The sign-in page
 * needs neither menus nor icon buttons.
 */
export const LinkIcon = createLink((props: AsAnchor<ActionIconProps>) => (
  <ActionIcon component="a" {...useAriaCurrent(props)} />
))
export const LinkMenuItem = createLink((props: AsAnchor<MenuItemProps>) => (
  <Menu.Item component="a" {...useAriaCurrent(props)} />
))
