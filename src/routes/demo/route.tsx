import { createFileRoute, Outlet } from '@tanstack/react-router'
import { DemoFrame } from '~/features/office/demo/DemoFrame'

export const Route = createFileRoute('/demo')({
  component: () => (
    <DemoFrame>
      <Outlet />
    </DemoFrame>
  ),
})
