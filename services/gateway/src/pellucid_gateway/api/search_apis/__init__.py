"""Search APIs of other products: Tavily, SearXNG, Open WebUI."""
