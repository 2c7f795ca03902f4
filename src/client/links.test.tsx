import { MantineProvider, Menu } from '@mantine/core'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterContextProvider,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { LinkAnchor, LinkButton, LinkPaper } from './links'
import { LinkIcon, LinkMenuItem } from './menu-links'

const rootRoute = createRootRoute()
const clinics = createRoute({ getParentRoute: () => rootRoute, path: '/app/clinics' })
const clinic = createRoute({ getParentRoute: () => rootRoute, path: '/app/clinics/$clinicId' })

async function rendered(children: ReactNode): Promise<string> {
  const router = createRouter({
    routeTree: rootRoute.addChildren([clinics, clinic]),
    history: createMemoryHistory({ initialEntries: ['/app/clinics/1'] }),
  })
  await router.load()
  return renderToString(
    <MantineProvider>
      <RouterContextProvider router={router}>{children}</RouterContextProvider>
    </MantineProvider>,
  )
}

test('links that look like buttons, icons, cards and menu items are anchors with an address', async () => {
  const to = { to: '/app/clinics/$clinicId', params: { clinicId: '1' } } as const
  const html = await rendered(
    <>
      <LinkButton {...to} variant="default" leftSection={<i />}>
        button
      </LinkButton>
      <LinkAnchor {...to} size="sm">
        text
      </LinkAnchor>
      <LinkIcon {...to} aria-label="icon" />
      <LinkPaper {...to} withBorder>
        card
      </LinkPaper>
      <Menu opened withinPortal={false} transitionProps={{ duration: 0 }}>
        <Menu.Dropdown>
          <LinkMenuItem {...to}>item</LinkMenuItem>
        </Menu.Dropdown>
      </Menu>
    </>,
  )
  const anchors = [...html.matchAll(/<a [^>]*>/g)].map(([tag]) => tag)
  expect(anchors).toHaveLength(5)
  for (const anchor of anchors) {
    expect(anchor).toContain('href="/app/clinics/1"')
    expect(anchor).toContain('aria-current="page"')
    expect(anchor).toMatch(/class="[^"]*(?<=[" ])active /)
    expect(anchor).toMatch(/class="[^"]*mantine-/)
    // nothing that only the router or Mantine understands reaches the element
    expect(anchor).not.toMatch(/params|leftsection|withborder|type="button"/i)
  }
  expect(anchors.at(-1)).toContain('role="menuitem"')
})

test('a link to the parent of the screen is not called the current page', async () => {
  const html = await rendered(
    <>
      <LinkButton to="/app/clinics">button</LinkButton>
      <LinkAnchor to="/app/clinics">text</LinkAnchor>
      <LinkIcon to="/app/clinics" aria-label="icon" />
      <LinkPaper to="/app/clinics">card</LinkPaper>
      <LinkAnchor to="/app/clinics/$clinicId" params={{ clinicId: '1' }} hash="departments">
        own
      </LinkAnchor>
    </>,
  )
  const anchors = [...html.matchAll(/<a [^>]*>/g)].map(([tag]) => tag)
  expect(anchors.map((anchor) => anchor.includes('aria-current'))).toEqual([
    false,
    false,
    false,
    false,
    true,
  ])
})
