export default function Home() {
  return <p>The API of the workflows is at /api/workflows.</p>;
}
