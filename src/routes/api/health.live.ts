import { createFileRoute } from '@tanstack/react-router'

const live = () => Response.json({ live: true }, { headers: { 'cache-control': 'no-store' } })

export const Route = createFileRoute('/api/health/live')({ server: { handlers: { GET: live } } })
